import { lazy, Suspense, useMemo, useState, type ComponentType, type ReactNode } from 'react'
import { Button } from '../button.tsx'
import { formatCount } from './format.ts'
import { isTangled } from '../form/tangled.ts'
import { Text, Visible } from './text.tsx'

interface Props {
  text: string
  /** Characters shown before "Show more". */
  limit?: number
  /** For a page of the docs, in place of a text of a model or a person. */
  docs?: Docs
}

/** Where the links and pictures of a page of the docs lead to. */
export interface Docs {
  /** The console's path for a link; undefined for external links. */
  linkTo: (href: string) => string | undefined
  /** The path of a picture of this version; undefined for other pictures. */
  pictureAt: (src: string) => string | undefined
}

type Formatter = ComponentType<{ text: string; docs?: Docs }>

/** Loaded with the screen, so that the first text rarely changes its height. */
let formatter: Formatter | undefined
const loading = import('./rendered-markdown.tsx').then(
  ({ default: loaded }): Formatter => (formatter = loaded),
  (): Formatter => PlainText,
)
const Later = lazy(async () => ({ default: await loading }))

function PlainText({ text }: { text: string }): ReactNode {
  return (
    <div className="said" dir="auto">
      <Visible text={text} />
    </div>
  )
}

const step = 30_000
/** Formatting takes time, so a longer text is shown unformatted. */
const longest = 100_000

/** Markdown of a model or a person: formatted, safe, with invisible characters named. */
export function Markdown({ text, limit = 4_000, docs }: Props): ReactNode {
  const [shown, setShown] = useState(limit)
  const [{ Rendered }] = useState(() => ({ Rendered: formatter ?? Later }))
  const part = text.length > shown ? `${text.slice(0, shown)}…` : text
  const isPlain = useMemo(() => part.length > longest || isTangled(part), [part])
  if (isPlain) return <Text text={text} limit={shown} />
  return (
    <>
      <Suspense fallback={<PlainText text={part} />}>
        <Rendered text={part} {...(docs !== undefined && { docs })} />
      </Suspense>
      {text.length > shown && (
        <div className="mt-2">
          <Button onClick={() => setShown(shown + step)}>
            Show more ({formatCount(text.length - shown)} characters)
          </Button>
        </div>
      )}
    </>
  )
}
