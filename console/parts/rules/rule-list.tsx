import { ArrowDown, ArrowUp, Pencil, Plus, Trash2 } from 'lucide-react'
import { useRef, useState, type ReactNode } from 'react'
import { flushSync } from 'react-dom'
import type { Rule, TryRules } from '../../../sdk/generated.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { Badge } from '../../ui/status.tsx'
import type { Tone } from '../../ui/text/tone.ts'
import { dayMs } from '../../ui/text/format.ts'
import { serverNow } from '../../ui/text/server-time.ts'
import { Ago } from '../../ui/text/time.tsx'
import { RuleForm, useWorkflowName } from './rule-form.tsx'
import { ruleWords } from './rule-words.ts'

interface Props {
  rules: Rule[]
  change: (rules: Rule[]) => void
  /** Key under which the drafts of its forms are stored. */
  draftName: string
  where: Omit<TryRules, 'rules'>
}

const inNinetyDays = (): string => new Date(serverNow() + 90 * dayMs).toISOString()

/** The rules of one level in words, in the order in which they are tried. */
export function RuleList({ rules, change, draftName, where }: Props): ReactNode {
  const [open, setOpen] = useState<number>()
  const [isNew, setNew] = useState(false)
  const list = useRef<HTMLOListElement>(null)
  const form = { draftName: `${draftName}.${isNew ? 'new' : open}`, where }
  const move = (from: number, to: number) => {
    const rule = rules[from]
    if (rule === undefined) return
    // The focus follows the rule.
    flushSync(() => change(rules.toSpliced(from, 1).toSpliced(to, 0, rule)))
    const buttonFor = (way: 'up' | 'down') =>
      list.current?.querySelector<HTMLElement>(`[aria-label="Move rule ${to + 1} ${way}"]:enabled`)
    const [way, back] = to < from ? (['up', 'down'] as const) : (['down', 'up'] as const)
    ;(buttonFor(way) ?? buttonFor(back))?.focus()
  }
  const [edited] = open === undefined ? [] : rules.slice(open, open + 1)
  return (
    <div className="grid gap-3">
      {rules.length > 0 && (
        <ol ref={list} aria-label="Rules" className="panel divide-y">
          {rules.map((rule, at) => (
            <Row
              // By place, so that a row stays, with the focus, when its rule changes.
              key={at}
              rule={rule}
              at={at}
              isLast={at === rules.length - 1}
              edit={() => setOpen(at)}
              move={(by) => move(at, at + by)}
              remove={() => change(rules.toSpliced(at, 1))}
            />
          ))}
        </ol>
      )}
      <div>
        <Button icon={Plus} onClick={() => setNew(true)}>
          New rule
        </Button>
      </div>
      {isNew && (
        <RuleForm
          title="New rule"
          action="Add to the list"
          rule={{ action: '', decision: 'allow', expires_at: inNinetyDays() }}
          save={async (rule) => change([...rules, rule])}
          close={() => setNew(false)}
          {...form}
        />
      )}
      {open !== undefined && edited !== undefined && (
        <RuleForm
          title={`Change rule ${open + 1}`}
          action="Change rule"
          rule={edited}
          save={async (rule) => change(rules.with(open, rule))}
          close={() => setOpen(undefined)}
          {...form}
        />
      )}
    </div>
  )
}

const tones: Record<Rule['decision'], Tone> = { allow: 'ok', ask: 'warn', block: 'bad' }

interface RowProps {
  rule: Rule
  at: number
  isLast: boolean
  edit: () => void
  move: (by: -1 | 1) => void
  remove: () => void
}

function Row({ rule, at, isLast, edit, move, remove }: RowProps): ReactNode {
  const workflowName = useWorkflowName()
  const nth = `rule ${at + 1}`
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3">
      <div className="grid min-w-0 flex-1 basis-64 gap-1">
        <p className="wrap-anywhere">{ruleWords(rule, workflowName)}</p>
        <p className="flex flex-wrap items-center gap-x-2 gap-y-1 text-sm text-ink-soft">
          <Badge tone={tones[rule.decision]}>{rule.decision}</Badge>
          <Expiry at={rule.expires_at} />
          {rule.reason != null && <span className="wrap-anywhere">{rule.reason}</span>}
        </p>
      </div>
      <span className="flex gap-1">
        <IconButton
          icon={ArrowUp}
          label={`Move ${nth} up`}
          disabled={at === 0}
          onClick={() => move(-1)}
        />
        <IconButton
          icon={ArrowDown}
          label={`Move ${nth} down`}
          disabled={isLast}
          onClick={() => move(1)}
        />
        <IconButton icon={Pencil} label={`Change ${nth}`} onClick={edit} />
        <IconButton icon={Trash2} label={`Remove ${nth}`} onClick={remove} />
      </span>
    </li>
  )
}

function Expiry({ at }: { at: string | null | undefined }): ReactNode {
  if (at == null) return <span>no end</span>
  return (
    <span>
      {Date.parse(at) > serverNow() ? 'ends' : 'ended'} <Ago at={at} />
    </span>
  )
}
