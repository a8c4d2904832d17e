import type { ReactNode } from 'react'
import { usePreview } from '../../data/schedules.ts'
import { SelectField, TextField } from '../../ui/form/field.tsx'
import { fromTiming, repeats, weekdays, type Repeats, type Timing } from './timing.ts'
import { WallTime } from './wall-time.tsx'
import { wordsOfError } from '../../ui/form/error-words.ts'

interface Props {
  timing: Timing
  change: (change: Partial<Timing>) => void
}

/** The timing of a schedule, with its next firings below. */
export function TimingFields({ timing, change }: Props): ReactNode {
  return (
    <fieldset className="grid gap-4">
      <legend className="sr-only">When</legend>
      <div className="grid gap-4 sm:grid-cols-2">
        <SelectField<Repeats>
          label="Repeats"
          value={timing.repeats}
          onChange={(value) => change({ repeats: value })}
          options={Object.entries(repeats).map(([value, label]) => ({
            value: value as Repeats,
            label,
          }))}
        />
        <Details timing={timing} change={change} />
      </div>
      {timing.repeats !== 'interval' && timing.repeats !== 'once' && (
        <SelectField
          label="Time zone"
          value={timing.timeZone}
          onChange={(timeZone) => change({ timeZone })}
          options={zonesWith(timing.timeZone)}
        />
      )}
      <Preview timing={timing} />
    </fieldset>
  )
}

function Details({ timing, change }: Props): ReactNode {
  const time = (
    <TextField
      label="Time"
      type="time"
      required
      value={timing.time}
      onChange={(value) => change({ time: value })}
    />
  )
  switch (timing.repeats) {
    case 'weekly':
      return (
        <>
          <SelectField
            label="Day"
            value={timing.weekday}
            onChange={(weekday) => change({ weekday })}
            options={weekdays.map((label, day) => ({ value: String(day), label }))}
          />
          {time}
        </>
      )
    case 'monthly':
      return (
        <>
          <TextField
            label="Day of the month"
            type="number"
            min={1}
            max={31}
            required
            value={timing.day}
            onChange={(day) => change({ day })}
          />
          {time}
        </>
      )
    case 'interval':
      return (
        <TextField
          label="Minutes"
          type="number"
          min={1}
          required
          value={timing.minutes}
          onChange={(minutes) => change({ minutes })}
        />
      )
    case 'once':
      return (
        // A date with its time is wider than half of a dialog.
        <div className="sm:col-span-2">
          <TextField
            label="Date and time"
            type="datetime-local"
            required
            value={timing.at}
            onChange={(at) => change({ at })}
          />
        </div>
      )
    case 'cron':
      return (
        <TextField
          label="Pattern"
          mono
          required
          longest={200}
          hint="Minute, hour, day, month, day of the week"
          value={timing.cron}
          onChange={(cron) => change({ cron })}
        />
      )
    case 'hourly':
      return null
    default:
      return time
  }
}

/** The next firings, or why there are none. */
function Preview({ timing }: { timing: Timing }): ReactNode {
  const sent = fromTiming(timing)
  const { data, error } = usePreview(sent ?? { every_seconds: 60 })
  if (sent === undefined) return null
  return (
    <div role="status" className="rounded-md bg-sunken px-3 py-2 text-sm">
      {error !== null ? (
        <p className="text-bad">{wordsOfError(error)}</p>
      ) : (
        data !== undefined && (
          <>
            <p className="font-medium">{data.in_words}</p>
            <p className="text-ink-soft">
              Next: <Moments due={data.due.slice(0, 3)} zone={timing.timeZone} />
            </p>
          </>
        )
      )}
    </div>
  )
}

function Moments({ due, zone }: { due: string[]; zone: string }): ReactNode {
  return due.map((at, place) => (
    <span key={at}>
      {place > 0 && ' · '}
      <WallTime at={at} zone={zone} />
    </span>
  ))
}

function zonesWith(zone: string): { value: string; label: string }[] {
  const zones = new Set(['UTC', zone, ...Intl.supportedValuesOf('timeZone')])
  return [...zones].sort().map((value) => ({ value, label: value.replaceAll('_', ' ') }))
}
