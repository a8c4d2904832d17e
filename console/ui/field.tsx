import { ChevronDown } from 'lucide-react'
import { useId, type ComponentProps, type ReactNode } from 'react'

const box =
  'w-full rounded-md border border-line-strong/60 bg-surface px-2.5 text-base text-ink transition-colors hover:border-line-strong focus-visible:border-accent focus-visible:outline-1 focus-visible:outline-offset-0 disabled:opacity-60 aria-invalid:border-bad'

interface Frame {
  label: string
  hint?: ReactNode
  error?: string | undefined
  /** For labels that the page around already shows. */
  isLabelHidden?: boolean
  /** Says that it may be left out, where other fields of the form may not. */
  isOptional?: boolean
}

/** A label, its control, and what helps or is wrong below. */
function Field({
  label,
  hint,
  error,
  isLabelHidden = false,
  isOptional = false,
  id,
  children,
}: Frame & { id: string; children: ReactNode }): ReactNode {
  return (
    <div className="grid content-start gap-1.5">
      <label
        htmlFor={id}
        className={isLabelHidden ? 'sr-only' : 'text-sm font-medium text-ink-soft'}
      >
        {label}
        {isOptional && <span className="font-normal text-ink-faint"> · optional</span>}
      </label>
      {children}
      {hint !== undefined && error === undefined && (
        <p id={`${id}-hint`} className="text-xs text-ink-faint">
          {hint}
        </p>
      )}
      {error !== undefined && (
        <p id={`${id}-hint`} role="alert" className="text-xs text-bad">
          {error}
        </p>
      )}
    </div>
  )
}

type TextProps = Frame &
  Omit<ComponentProps<'input'>, 'onChange' | 'className' | 'value'> & {
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
  value,
  onChange,
  mono = false,
  ...rest
}: TextProps): ReactNode {
  const id = useId()
  return (
    <Field {...{ label, hint, error, isLabelHidden, isOptional, id }}>
      <input
        id={id}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        aria-invalid={error !== undefined || undefined}
        aria-describedby={hint !== undefined || error !== undefined ? `${id}-hint` : undefined}
        className={`${box} h-9 pointer-coarse:h-11 ${mono ? 'font-mono text-sm' : ''}`}
        {...rest}
      />
    </Field>
  )
}

type AreaProps = Frame &
  Omit<ComponentProps<'textarea'>, 'onChange' | 'className' | 'value'> & {
    value: string
    onChange: (value: string) => void
    mono?: boolean
  }

/** Grows with its text. */
export function TextArea({
  label,
  hint,
  error,
  isLabelHidden = false,
  isOptional = false,
  value,
  onChange,
  mono = false,
  rows = 3,
  ...rest
}: AreaProps): ReactNode {
  const id = useId()
  return (
    <Field {...{ label, hint, error, isLabelHidden, isOptional, id }}>
      <textarea
        id={id}
        value={value}
        rows={rows}
        onChange={(event) => onChange(event.target.value)}
        aria-invalid={error !== undefined || undefined}
        aria-describedby={hint !== undefined || error !== undefined ? `${id}-hint` : undefined}
        className={`${box} field-sizing-content max-h-[60vh] min-h-16 py-2 ${mono ? 'code' : ''}`}
        {...rest}
      />
    </Field>
  )
}

interface Option {
  value: string
  label: string
}

type SelectProps = Frame & {
  value: string
  onChange: (value: string) => void
  options: readonly Option[]
  disabled?: boolean
}

/** The system's own list: the best there is on a phone. */
export function SelectField({
  label,
  hint,
  error,
  isLabelHidden = false,
  isOptional = false,
  value,
  onChange,
  options,
  disabled = false,
}: SelectProps): ReactNode {
  const id = useId()
  return (
    <Field {...{ label, hint, error, isLabelHidden, isOptional, id }}>
      <div className="relative">
        <select
          id={id}
          value={value}
          disabled={disabled}
          onChange={(event) => onChange(event.target.value)}
          aria-invalid={error !== undefined || undefined}
          aria-describedby={hint !== undefined || error !== undefined ? `${id}-hint` : undefined}
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
