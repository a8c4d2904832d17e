import { useState, type ReactNode } from 'react'
import { Code } from 'lucide-react'
import type { RunWithSteps } from '../../../sdk/generated.ts'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/text/copy.tsx'
import { Modal } from '../../ui/modal.tsx'
import { asMarkdown } from '../../parts/run/as-markdown.ts'
import { asCode, asCurl } from '../../parts/run/copy-as.ts'

/** Copies the run as Markdown, and the same run as a command or as code. */
export function CopyAs({ run, workflow }: { run: RunWithSteps; workflow: string }): ReactNode {
  const [isOpen, setIsOpen] = useState(false)
  const ways = [
    ['curl', asCurl(run, location.origin)],
    ['TypeScript', asCode(run, location.origin)],
  ] as const
  return (
    <>
      <CopyButton
        isWide
        label="Copy as Markdown"
        text={asMarkdown(run, workflow, `${location.origin}/runs/${run.id}`)}
      />
      <Button icon={Code} onClick={() => setIsOpen(true)}>
        As code
      </Button>
      {isOpen && (
        <Modal
          title="The same run, from a program"
          help="programs"
          onClose={() => setIsOpen(false)}
          isWide
        >
          <div className="grid gap-5">
            {ways.map(([name, text]) => (
              <section key={name}>
                <div className="mb-1 flex items-center justify-between">
                  <h3 className="text-sm font-medium">{name}</h3>
                  <CopyButton text={text} label={`Copy as ${name}`} />
                </div>
                <pre className="code max-h-48 overflow-auto rounded-md bg-sunken p-3" tabIndex={0}>
                  {text}
                </pre>
              </section>
            ))}
          </div>
        </Modal>
      )}
    </>
  )
}
