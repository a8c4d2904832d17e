import { ChevronDown } from 'lucide-react'
import {
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  type ComponentProps,
  type ReactNode,
} from 'react'
import { checkLength } from './limit.ts'

/** 16 px on touch screens: phones zoom in on smaller text. */
const box =
  'w-full rounded-md border border-line-strong/60 bg-surface px-2.5 text-base pointer-coarse:text-lg text-ink transition-colors hover:border-line-strong focus-visible:border-accent focus-visible:outline-1 focus-visible:outline-offset-0 disabled:opacity-60 aria-invalid:border-bad'

interface Frame {
  label: string
  hint?: ReactNode
  error?: string | undefined
  /** For fields whose label is already shown around them. */
  isLabelHidden?: boolean
  /** Marks an optional field in a form with required ones. */
  isOptional?: boolean
}

/** Attributes that connect a control with its label, hint and error. */
interface Tied {
  id: string
  'aria-invalid': true | undefined
  'aria-describedby': string | undefined
}

/**
 * A label, its control, and below a hint or an error. A text that is too long is kept whole, and
 * keeps its form from being submitted.
 */
function Field({
  label,
  hint,
  error,
  isLabelHidden = false,
  isOptional = false,
  length = {},
  children,
}: Frame & {
  length?: ReturnType<typeof checkLength>
  children: (tied: Tied) => ReactNode
}): ReactNode {
  const id = useId()
  const frame = useRef<HTMLDivElement>(null)
  const { problem = '', count } = length
  useEffect(() => {
    frame.current?.querySelector<HTMLInputElement>('input, textarea')?.setCustomValidity(problem)
  }, [problem])
  const fault = error ?? length.problem
  const below = fault ?? (count === undefined ? hint : <Counted hint={hint} count={count} />)
  return (
    <div ref={frame} className="grid content-start gap-1.5">
      <label
        htmlFor={id}
        className={isLabelHidden ? 'sr-only' : 'text-sm font-medium text-ink-soft'}
      >
        {label}
        {isOptional && <span className="font-normal text-ink-faint"> · optional</span>}
      </label>
      {children({
        id,
        'aria-invalid': fault === undefined ? undefined : true,
        'aria-describedby': below === undefined ? undefined : `${id}-hint`,
      })}
      {below !== undefined && (
        <p
          id={`${id}-hint`}
          role={fault === undefined ? undefined : 'alert'}
          className={`text-xs ${fault === undefined ? 'text-ink-faint' : 'text-bad'}`}
        >
          {below}
        </p>
      )}
    </div>
  )
}

function Counted({ hint, count }: { hint: ReactNode; count: string }): ReactNode {
  return (
    <>
      {hint}
      {hint !== undefined && ' · '}
      {count}
    </>
  )
}

type Typed<Tag extends 'input' | 'textarea'> = Frame &
  // `maxLength` would cut what is pasted without a word.
  Omit<ComponentProps<Tag>, 'onChange' | 'className' | 'value' | 'maxLength'> & {
    /** The limit in characters. */
    longest?: number
    /** What to do about a text that is too long; `shorten it` by default. */
    advice?: string
    value: string
    onChange: (value: string) => void
    mono?: boolean
  }

export function TextField({
  label,
  hint,
  error,
  isLabelHidden = false,
  isOptional = false,
  onChange,
  mono = false,
  longest,
  advice,
  ...rest
}: Typed<'input'>): ReactNode {
  const length = checkLength(rest.value, longest, advice)
  return (
    <Field {...{ label, hint, error, isLabelHidden, isOptional, length }}>
      {(tied) => (
        <input
          {...tied}
          onChange={(event) => onChange(event.target.value)}
          className={`${box} h-9 pointer-coarse:h-11 ${mono ? 'font-mono text-sm' : ''}`}
          {...rest}
        />
      )}
    </Field>
  )
}

/** Grows with its text. */
export function TextArea({
  label,
  hint,
  error,
  isLabelHidden = false,
  isOptional = false,
  onChange,
  mono = false,
  longest,
  advice,
  ...rest
}: Typed<'textarea'>): ReactNode {
  const length = checkLength(rest.value, longest, advice)
  const own = useRef<HTMLTextAreaElement>(null)
  useLayoutEffect(() => growToText(own.current), [rest.value])
  return (
    <Field {...{ label, hint, error, isLabelHidden, isOptional, length }}>
      {(tied) => (
        <textarea
          ref={own}
          {...tied}
          rows={3}
          onChange={(event) => onChange(event.target.value)}
          className={`${box} field-sizing-content max-h-[60vh] min-h-16 py-2 ${mono ? 'code' : ''}`}
          {...rest}
        />
      )}
    </Field>
  )
}

/** For browsers without `field-sizing`. Its border is no part of the scroll height. */
function growToText(area: HTMLTextAreaElement | null): void {
  if (area === null || CSS.supports('field-sizing', 'content')) return
  area.style.height = 'auto'
  area.style.height = `${area.scrollHeight + area.offsetHeight - area.clientHeight}px`
}

type SelectProps<Value extends string> = Frame & {
  value: Value
  onChange: (value: Value) => void
  options: readonly { value: Value; label: string }[]
  disabled?: boolean
}

/** The system's own select, which works best on a phone. */
export function SelectField<Value extends string>({
  value,
  onChange,
  options,
  disabled = false,
  ...frame
}: SelectProps<Value>): ReactNode {
  return (
    <Field {...frame}>
      {(tied) => (
        <div className="relative">
          <select
            {...tied}
            value={value}
            disabled={disabled}
            onChange={(event) => onChange(event.target.value as Value)}
            className={`${box} h-9 appearance-none truncate pr-8 pointer-coarse:h-11`}
          >
            {options.map((option) => (
              <option key={option.value} value={option.value}>
                {option.label}
              </option>
            ))}
          </select>
          <ChevronDown
            size={15}
            aria-hidden="true"
            className="pointer-events-none absolute inset-y-0 right-2.5 my-auto text-ink-faint"
          />
        </div>
      )}
    </Field>
  )
}

type CheckProps = {
  label: ReactNode
  hint?: ReactNode
  checked: boolean
  onChange: (checked: boolean) => void
  disabled?: boolean
}

export function CheckField({ label, hint, checked, onChange, disabled }: CheckProps): ReactNode {
  const id = useId()
  return (
    <div className="flex items-start gap-2.5">
      <input
        id={id}
        type="checkbox"
        checked={checked}
        disabled={disabled}
        onChange={(event) => onChange(event.target.checked)}
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        className="mt-0.5 size-4 shrink-0 accent-accent-fill pointer-coarse:size-5"
      />
      <div className="min-w-0">
        <label htmlFor={id} className="block text-base">
          {label}
        </label>
        {hint !== undefined && (
          <p id={`${id}-hint`} className="text-xs text-ink-faint">
            {hint}
          </p>
        )}
      </div>
    </div>
  )
}
