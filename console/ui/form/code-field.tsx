import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { json } from '@codemirror/lang-json'
import { bracketMatching, HighlightStyle, syntaxHighlighting } from '@codemirror/language'
import { Compartment, EditorState } from '@codemirror/state'
import {
  drawSelection,
  EditorView,
  highlightSpecialChars,
  keymap,
  lineNumbers,
} from '@codemirror/view'
import { tags } from '@lezer/highlight'
import { useEffect, useRef, type ReactNode } from 'react'

export interface CodeFieldProps {
  label: string
  /** For fields whose label is already shown around them. */
  isLabelHidden?: boolean
  value: string
  onChange: (value: string) => void
  language: 'json' | 'text'
  error?: string | undefined
  hint?: string
}

/**
 * A code editor. It is in a shadow root, where it can adopt its style sheets, which the content
 * security policy allows. Tab moves the focus out, as keyboard users expect.
 */
export default function CodeField({
  label,
  isLabelHidden = false,
  value,
  onChange,
  language,
  error,
  hint,
}: CodeFieldProps): ReactNode {
  const host = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView>(undefined)
  const attributes = useRef(new Compartment())
  const description = useRef<HTMLElement>(undefined)
  const change = useRef(onChange)
  useEffect(() => {
    change.current = onChange
  })
  /**
   * Texts of the editor that have not come back as `value` yet; meanwhile more may have been typed.
   */
  const reported = useRef<string[]>([])

  useEffect(() => {
    if (host.current === null) return
    const root =
      host.current.shadowRoot ?? host.current.attachShadow({ mode: 'open', delegatesFocus: true })
    const editor = new EditorView({
      root,
      parent: root,
      state: EditorState.create({
        doc: value,
        extensions: [
          ...(language === 'json' ? [lineNumbers(), json(), bracketMatching()] : []),
          highlightSpecialChars(),
          drawSelection(),
          history(),
          keymap.of([...defaultKeymap, ...historyKeymap]),
          syntaxHighlighting(colors),
          EditorView.lineWrapping,
          attributes.current.of(EditorView.contentAttributes.of(attributesOf(label, error))),
          EditorView.updateListener.of((update) => {
            if (!update.docChanged) return
            const text = update.state.doc.toString()
            reported.current.push(text)
            change.current(text)
          }),
          look,
        ],
      }),
    })
    view.current = editor
    // A description has to be in the shadow root as well.
    const words = document.createElement('p')
    words.id = descriptionId
    words.hidden = true
    root.append(words)
    description.current = words
    return () => {
      editor.destroy()
      words.remove()
    }
    // The editor has its own state; external changes are applied below.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [label, language])

  useEffect(() => {
    const editor = view.current
    const echo = reported.current.indexOf(value)
    reported.current.splice(0, echo + 1)
    if (editor === undefined || echo >= 0 || editor.state.doc.toString() === value) return
    editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: value } })
    reported.current = []
  }, [value])

  const below = error ?? hint ?? ''
  useEffect(() => {
    if (description.current !== undefined) description.current.textContent = below
    const changed = EditorView.contentAttributes.of(attributesOf(label, error))
    view.current?.dispatch({ effects: attributes.current.reconfigure(changed) })
  }, [label, error, below])

  return (
    <div className="grid gap-1.5">
      {!isLabelHidden && <span className="text-sm font-medium text-ink-soft">{label}</span>}
      <div
        ref={host}
        data-invalid={error === undefined ? undefined : 'true'}
        className={`overflow-hidden rounded-md border focus-within:border-accent ${error === undefined ? 'border-line-strong/60' : 'border-bad'}`}
      />
      {error !== undefined ? (
        <p role="alert" className="text-xs text-bad">
          {error}
        </p>
      ) : (
        hint !== undefined && <p className="text-xs text-ink-faint">{hint}</p>
      )}
    </div>
  )
}

const descriptionId = 'description'

function attributesOf(label: string, error: string | undefined): Record<string, string> {
  return {
    'aria-label': label,
    'aria-multiline': 'true',
    'aria-describedby': descriptionId,
    ...(error !== undefined && { 'aria-invalid': 'true' }),
    // A scrolling element must be reachable by keyboard.
    tabindex: '0',
  }
}

const look = EditorView.theme({
  '&': {
    backgroundColor: 'var(--color-surface)',
    color: 'var(--color-ink)',
    fontSize: '0.8125rem',
    maxHeight: '60vh',
  },
  '&.cm-focused': { outline: '2px solid var(--color-accent)', outlineOffset: '-2px' },
  '.cm-scroller': { fontFamily: 'var(--font-mono)', lineHeight: '1.35rem' },
  '.cm-content': { caretColor: 'var(--color-ink)', padding: '8px 0', minHeight: '5.5rem' },
  '.cm-cursor': { borderLeftColor: 'var(--color-ink)' },
  '.cm-gutters': {
    backgroundColor: 'var(--color-sunken)',
    color: 'var(--color-ink-faint)',
    border: 'none',
  },
  '.cm-selectionBackground, &.cm-focused .cm-selectionBackground': {
    backgroundColor: 'var(--color-accent-soft) !important',
  },
  '.cm-specialChar': { color: 'var(--color-warn)' },
})

/** The page's colors, light or dark. */
const colors = HighlightStyle.define([
  { tag: tags.string, color: 'var(--color-ok)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--color-live)' },
  { tag: tags.propertyName, color: 'var(--color-ink)' },
])
