import { Inbox, Play, Plus, Trash2 } from 'lucide-react'
import { useState, type ReactNode } from 'react'
import { MusterError } from '../../../sdk/errors.ts'
import { Broken } from '../../data/live/broken.tsx'
import { NewerRuns } from '../../parts/runs/newer-runs.tsx'
import { Button, IconButton } from '../../ui/button.tsx'
import { Confirm } from '../../ui/confirm.tsx'
import { CopyButton } from '../../ui/text/copy.tsx'
import { Failure } from '../../ui/failure.tsx'
import { Modal } from '../../ui/modal.tsx'
import { Page, Section } from '../../ui/page.tsx'
import { SaveBar, StaleNotice } from '../../ui/form/save-bar.tsx'
import { Secret } from '../../ui/secret.tsx'
import { Empty, Loading } from '../../ui/states.tsx'
import { Badge, Dot } from '../../ui/status.tsx'
import type { Tone } from '../../ui/text/tone.ts'
import { Text } from '../../ui/text/text.tsx'
import { Ago, Countdown, Span } from '../../ui/text/time.tsx'
import { Fields } from './fields.tsx'

const tones: Tone[] = ['neutral', 'live', 'warn', 'ok', 'bad', 'accent']
const refused = {
  status: 400,
  type: 'invalid_request',
  code: 'string_too_long',
  requestId: 'req_01ktbz3v9se0c9x1hm8q5gkxvn',
} as const
const failure = new MusterError('Cannot update workflow: name is too long', refused)
const silence = new MusterError('connect ECONNREFUSED', { ...refused, status: 0 })
const nothing = () => {}

/** Each shared part with each of its states. */
export function UiScreen(): ReactNode {
  const [opened, setOpened] = useState<'modal' | 'confirm'>()
  const [begunAt] = useState(() => Date.now())
  const minutes = (count: number) => new Date(begunAt + count * 60_000).toISOString()
  return (
    <Page
      title="Shared parts"
      about="Each part with each of its states; in development only."
      actions={<Button icon={Plus}>An action</Button>}
    >
      <Part title="Buttons">
        {(['primary', 'plain', 'quiet', 'danger'] as const).map((kind) => (
          <div key={kind} className="flex flex-wrap gap-2">
            <Button kind={kind}>{kind}</Button>
            <Button kind={kind} icon={Play} shortcut="a">
              with a key
            </Button>
            <Button kind={kind} isBusy>
              busy
            </Button>
            <Button kind={kind} disabled>
              disabled
            </Button>
          </div>
        ))}
        <div className="flex gap-2">
          <IconButton label="Delete" icon={Trash2} />
          <IconButton label="Delete, disabled" icon={Trash2} disabled />
          <CopyButton text="text" label="Copy" />
        </div>
      </Part>
      <Part title="Fields">
        <Fields />
      </Part>
      <Part title="Status">
        <div className="flex flex-wrap gap-4">
          {tones.map((tone) => (
            <span key={tone} className="grid justify-items-start gap-2">
              <Dot tone={tone}>{tone}</Dot>
              <Dot tone={tone} isLive>
                goes on
              </Dot>
              <Badge tone={tone}>{tone}</Badge>
            </span>
          ))}
        </div>
      </Part>
      <Part title="Loading, empty, failed">
        <div className="panel">
          <Loading />
        </div>
        <div className="panel">
          <Empty icon={Inbox} title="No runs yet" help="runs">
            <p>And what to do about it.</p>
            <Button kind="primary">Do it</Button>
          </Empty>
        </div>
        <Failure error={failure} retry={nothing} />
        <Failure error={silence} />
        <Failure error="Words alone" />
      </Part>
      <Part title="Over the page">
        <div className="flex gap-2">
          <Button onClick={() => setOpened('modal')}>A dialog</Button>
          <Button onClick={() => setOpened('confirm')}>One that asks and fails</Button>
        </div>
        <div className="panel h-14">
          <NewerRuns count={3} release={nothing} />
        </div>
        <Broken since={begunAt - 60_000} />
      </Part>
      <Part title="Saving">
        <div>
          <SaveBar action="Save" isBusy={false} error={null} save={nothing} discard={nothing} />
        </div>
        <div>
          <SaveBar action="Save" isBusy error={failure} save={nothing}>
            <StaleNotice changedAt={minutes(-3)} discard={nothing} />
          </SaveBar>
        </div>
        <Secret label="The key" value="mst_01ktbz3v9se0c9x1hm8q5gkxvn01ktbz3v9se0c9x1" />
      </Part>
      <Part title="Text and time">
        <Text text={'<b>As it is</b>\nand with signs that nobody sees: \u202e000,1\u202c\u200b'} />
        <Text text={'x '.repeat(400)} limit={100} mono />
        <p className="flex flex-wrap gap-6">
          <Ago at={minutes(-90)} />
          <Span from={minutes(-2)} to={null} />
          <Countdown until={minutes(90)} />
          <Countdown until={minutes(2)} />
          <Countdown until={minutes(-1)} />
        </p>
      </Part>
      {opened === 'modal' && (
        <Modal title="A dialog" help="console" onClose={() => setOpened(undefined)}>
          With something to read.
        </Modal>
      )}
      {opened === 'confirm' && (
        <Confirm
          title="Delete it?"
          action="Delete it"
          wayOut="Cancel"
          run={() => Promise.reject(failure)}
          onClose={() => setOpened(undefined)}
        >
          It cannot be brought back.
        </Confirm>
      )}
    </Page>
  )
}

function Part({ title, children }: { title: string; children: ReactNode }): ReactNode {
  return (
    <Section title={title}>
      <div className="grid gap-4">{children}</div>
    </Section>
  )
}
