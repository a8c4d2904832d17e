import { Link, useLocation } from '@tanstack/react-router'
import { memo, useEffect, useMemo, useRef, type ReactNode } from 'react'
import render, { type Components, type Options } from 'react-markdown'
import remarkGfm from 'remark-gfm'
import { headingId } from '../help/heading-id.ts'
import { splitInvisible } from './invisible.ts'
import type { Docs } from './markdown.tsx'
import { Visible } from './text.tsx'

/**
 * Formats models' Markdown. HTML is shown as text; an image is named, not loaded; a link only leads
 * to web or mail addresses, in a new tab, with its host shown beside it. Pages of the docs also have
 * links within the console, pictures, and headings to link to.
 */
function RenderedMarkdown({ text, docs }: { text: string; docs?: Docs }): ReactNode {
  const rendered = useMemo(() => {
    try {
      return render({ ...options, ...(docs !== undefined && optionsOf(docs)), children: text })
    } catch {
      // The text is nested too deeply for its parser.
      return <Visible text={text} />
    }
  }, [text, docs])
  return (
    <div className={docs === undefined ? 'markdown' : 'markdown markdown-docs'} dir="auto">
      {rendered}
    </div>
  )
}

export default memo(RenderedMarkdown)

interface LinkProps {
  href?: string | undefined
  children?: ReactNode
}

function LinkOut({ href = '', children }: LinkProps): ReactNode {
  const target = readUrl(href)
  if (target === undefined) return <>{children}</>
  const host = target.host === '' ? target.pathname : target.host
  return (
    <>
      <a href={target.href} target="_blank" rel="noopener noreferrer nofollow" className="link">
        {children}
      </a>
      {children !== target.href && children !== host && (
        <span className="text-sm text-ink-faint"> ({host})</span>
      )}
    </>
  )
}

function linkWithin({ linkTo }: Docs): (props: LinkProps) => ReactNode {
  return ({ href = '', children }) => {
    const address = linkTo(href)
    if (address === undefined) return <LinkOut href={href}>{children}</LinkOut>
    const [to = '', hash] = address.split('#')
    return (
      <Link to={to} {...(hash !== undefined && { hash })} className="link">
        {children}
      </Link>
    )
  }
}

const components: Components = {
  a: LinkOut,
  img: ({ src = '', alt = '' }) => {
    const host = readUrl(src)?.host
    return (
      <span className="text-sm text-ink-faint">
        [Image{alt !== '' && `: ${alt}`}
        {host !== undefined && ` (${host})`}]
      </span>
    )
  },
  input: ({ checked }) => <span aria-hidden="true">{checked === true ? '☑ ' : '☐ '}</span>,
  // The page has the top-level headings, so headings in the text start a level lower.
  h1: ({ children }) => <h3 className="text-lg font-semibold">{children}</h3>,
  h2: ({ children }) => <h3 className="text-base font-semibold">{children}</h3>,
  h3: ({ children }) => <h4 className="font-semibold">{children}</h4>,
  h4: ({ children }) => <h5 className="font-medium">{children}</h5>,
  h5: ({ children }) => <h5 className="font-medium">{children}</h5>,
  h6: ({ children }) => <h5 className="font-medium">{children}</h5>,
  table: ({ children }) => (
    <div className="overflow-x-auto" tabIndex={0} role="region" aria-label="Table">
      <table>{children}</table>
    </div>
  ),
  pre: ({ children }) => (
    <pre tabIndex={0} role="region" aria-label="Code">
      {children}
    </pre>
  ),
}

function optionsOf(docs: Docs): Options {
  return {
    components: {
      ...components,
      a: linkWithin(docs),
      img: ({ src = '', alt = '' }) => {
        const picture = docs.pictureAt(src)
        if (picture === undefined) return <>[Image: {alt}]</>
        return <img src={picture} alt={alt} className="rounded-lg border" />
      },
      h2: headingOf('h2', 'mt-5 text-lg font-semibold'),
      h3: headingOf('h3', 'mt-3 text-base font-semibold'),
      h4: headingOf('h4', 'mt-2 font-semibold'),
    },
    rehypePlugins: [...(options.rehypePlugins ?? []), () => identifyHeadings as never],
  }
}

interface HeadingProps {
  id?: string | undefined
  children?: ReactNode
}

/** A heading that is scrolled to and has the focus when the address names it. */
function headingOf(Tag: 'h2' | 'h3' | 'h4', look: string): (props: HeadingProps) => ReactNode {
  return ({ id, children }) => {
    const ref = useRef<HTMLHeadingElement>(null)
    const isMeant = useLocation({ select: ({ hash }) => hash === id })
    useEffect(() => {
      if (!isMeant) return
      ref.current?.scrollIntoView()
      ref.current?.focus({ preventScroll: true })
    }, [isMeant])
    return (
      <Tag ref={ref} id={id} tabIndex={-1} className={`scroll-mt-4 outline-none ${look}`}>
        {children}
      </Tag>
    )
  }
}

function identifyHeadings(node: Node): void {
  for (const child of node.children ?? []) {
    if (/^h[2-4]$/.test(child.tagName ?? '')) child.properties = { id: headingId(textOf(child)) }
  }
}

function textOf({ value = '', children = [] }: Node): string {
  return value + children.map(textOf).join('')
}

const blocks = new Set<string | undefined>(['ul', 'ol', 'li', 'blockquote'])

interface Node {
  type: string
  value?: string
  tagName?: string
  properties?: object
  children?: Node[]
}

/**
 * Names each invisible character in a `mark`. Removes line breaks between blocks, which would be
 * shown.
 */
function nameInvisible(node: Node): void {
  if (node.children === undefined) return
  node.children = node.children.flatMap((child) => {
    nameInvisible(child)
    if (child.value === '\n' && blocks.has(node.tagName)) return []
    if (child.value === undefined || (child.type !== 'text' && child.type !== 'raw')) return [child]
    return splitInvisible(child.value).map(({ text, name }): Node => {
      if (name === undefined) return { type: 'text', value: text }
      const children = [{ type: 'text', value: name }]
      return { type: 'element', tagName: 'mark', properties: {}, children }
    })
  })
}

const options: Options = {
  components,
  remarkPlugins: [remarkGfm],
  rehypePlugins: [() => nameInvisible as never],
}

/** Undefined unless a link leads to a web or mail address. */
function readUrl(href: string): URL | undefined {
  const url = URL.parse(href)
  return url !== null && ['http:', 'https:', 'mailto:'].includes(url.protocol) ? url : undefined
}
