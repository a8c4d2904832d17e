import { useCallback, useState, type ReactNode } from 'react'
import type { StoredFile } from '../../../sdk/generated.ts'
import { useAnswer } from '../../session/api.ts'
import { Loaded } from '../../ui/states.tsx'
import { Text } from '../../ui/text/text.tsx'
import { largeMs } from '../../data/files.ts'
import { isImage, typeOf } from '../../parts/files/words.ts'

/** Bytes of a text that are shown; the download has the rest. */
const shownBytes = 256 * 1024
/** A browser needs four bytes for each. */
const shownPixels = 50_000_000
/** Types for which an object URL is created. */
const imageTypes = ['image/png', 'image/jpeg', 'image/webp', 'image/gif']

/**
 * The contents of a file, with nothing that could run: an image as an image, a text as text. PDFs
 * may contain scripts, and are left to the reader's own program, like Word and Excel files.
 */
export function Preview({ file }: { file: StoredFile }): ReactNode {
  if (file.media_type === 'application/pdf') {
    return <Note>A PDF can carry scripts, so it is not opened here. Download it to read it.</Note>
  }
  if (file.media_type.startsWith('application/vnd.openxmlformats-')) {
    return (
      <Note>{typeOf(file.media_type).word} files are not opened here. Download it to read it.</Note>
    )
  }
  if (!isImage(file)) return <TextPreview file={file} />
  const pixels = (file.width ?? 0) * (file.height ?? 0)
  if (pixels > shownPixels || !imageTypes.includes(file.media_type)) {
    return <Note>The image is too large to be shown here. Download it to see it.</Note>
  }
  return <ImagePreview file={file} />
}

function TextPreview({ file }: { file: StoredFile }): ReactNode {
  const query = useAnswer(
    ['file', file.id, 'text'],
    async (muster, options) => {
      const range = { start: 0, end: shownBytes }
      const part = await muster.files.content(file.id, { ...options, range })
      return part.text()
    },
    { staleTime: Infinity },
  )
  const isProse = file.media_type === 'text/markdown' || file.media_type === 'text/plain'
  return (
    <section aria-label="Content" className="panel px-4 py-3">
      <Loaded query={query} lines={8}>
        {(text) => (
          <>
            {/* The last character may be incomplete. */}
            <Text text={text.replace(/\uFFFD$/, '')} mono={!isProse} limit={20_000} />
            {file.bytes > shownBytes && (
              <p className="mt-3 text-sm text-ink-faint">
                This is its beginning. The download has all of it.
              </p>
            )}
          </>
        )}
      </Loaded>
    </section>
  )
}

function ImagePreview({ file }: { file: StoredFile }): ReactNode {
  const query = useAnswer(
    ['file', file.id, 'image'],
    async (muster, options) => {
      const content = await muster.files.content(file.id, { ...options, timeoutMs: largeMs })
      return content.blob()
    },
    { staleTime: Infinity, gcTime: 0 },
  )
  return (
    <section aria-label="Content" className="panel px-4 py-3">
      <Loaded query={query} lines={8}>
        {(content) => <Picture content={content} file={file} />}
      </Loaded>
    </section>
  )
}

function Picture({ content, file }: { content: Blob; file: StoredFile }): ReactNode {
  const { name, media_type: type, width, height } = file
  const [isDamaged, setIsDamaged] = useState(false)
  const show = useCallback(
    (image: HTMLImageElement) => {
      const url = URL.createObjectURL(new Blob([content], { type }))
      image.src = url
      return () => URL.revokeObjectURL(url)
    },
    [content, type],
  )
  if (isDamaged) {
    return <p className="text-ink-soft">This browser cannot show the image; it may be damaged.</p>
  }
  return (
    <img
      ref={show}
      alt={name}
      width={width ?? undefined}
      height={height ?? undefined}
      onError={() => setIsDamaged(true)}
      className="mx-auto h-auto max-h-[75vh] w-auto max-w-full object-contain"
    />
  )
}

function Note({ children }: { children: ReactNode }): ReactNode {
  return <p className="panel px-4 py-8 text-center text-ink-soft">{children}</p>
}
