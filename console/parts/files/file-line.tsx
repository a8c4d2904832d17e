import { Link } from '@tanstack/react-router'
import { CircleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { Visible } from '../../ui/text/text.tsx'
import { factsOf, lackOf, typeOf, type KnownFile } from './words.ts'

interface Props {
  file: KnownFile
  /** Shown after the other facts. */
  more?: ReactNode
  /** Actions on the file. */
  children?: ReactNode
}

/** A file in one line: its name as a link, its facts, and parts that agents cannot read. */
export function FileLine({ file, more, children }: Props): ReactNode {
  const { icon: Icon } = typeOf(file.media_type)
  return (
    <div className="flex items-center gap-3 px-4 py-2.5">
      <Icon size={18} strokeWidth={1.7} className="shrink-0 text-ink-faint" aria-hidden="true" />
      <div className="min-w-0 flex-1">
        {file.deleted === true ? (
          <span className="block wrap-anywhere text-ink-soft line-through">
            <Visible text={file.name} />
          </span>
        ) : (
          <Link
            to="/files/$fileId"
            params={{ fileId: file.id }}
            className="block w-fit max-w-full font-medium wrap-anywhere hover:underline"
          >
            <Visible text={file.name} />
          </Link>
        )}
        <p className="text-sm text-ink-soft">
          {factsOf(file)}
          {more}
        </p>
        <Lack file={file} />
      </div>
      <div className="flex shrink-0 items-center">{children}</div>
    </div>
  )
}

/** Parts of the file that agents cannot read. */
export function Lack({ file }: { file: KnownFile }): ReactNode {
  const lack = lackOf(file)
  if (lack === undefined) return null
  return (
    <p className="flex items-start gap-1.5 text-sm text-warn">
      <CircleAlert size={14} className="mt-[3px] shrink-0" aria-hidden="true" />
      <span>{lack}</span>
    </p>
  )
}
