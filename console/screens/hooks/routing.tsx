import { useMutation } from '@tanstack/react-query'
import { useDeferredValue, type ReactNode } from 'react'
import type { Hook, PreviewHook, UpdateHook } from '../../../sdk/generated.ts'
import { dedupeHint, dedupes } from '../../data/hooks.ts'
import { useRefresh } from '../../session/api.ts'
import { useSession } from '../../session/session.tsx'
import { Button } from '../../ui/button.tsx'
import { Failure } from '../../ui/failure.tsx'
import { useDraft } from '../../ui/form/draft.ts'
import { faultOf } from '../../ui/form/fault.ts'
import { SelectField, TextArea } from '../../ui/form/field.tsx'
import { Form } from '../../ui/form/form.tsx'
import { objectOf, jsonText } from '../../ui/form/object-field.tsx'
import { Section } from '../../ui/page.tsx'
import { Preview } from './preview.tsx'

interface Texts {
  filter: string
  input: string
  data: string
  dedupe: Hook['dedupe']
}

/** Edits filter and templates of a hook, with a live preview for its last event. */
export function Routing({ hook }: { hook: Hook }): ReactNode {
  const { rights, muster } = useSession()
  const refresh = useRefresh(['hook', hook.id], ['hooks'])
  const stored = textsOf(hook)
  const [typed, setTyped, discard] = useDraft<Partial<Texts>>(`routing.${hook.id}`, {})
  const texts = { ...stored, ...typed }
  const isChanged = Object.entries(typed).some(
    ([name, text]) => stored[name as keyof Texts] !== text,
  )
  const body = toBody(texts)
  const save = useMutation({
    mutationFn: () => muster.hooks.update(hook.id, { ...body, dedupe: texts.dedupe }),
    onSuccess: async () => {
      await refresh()
      discard()
    },
  })
  const fault = faultOf(save.error)
  const isAtField = fault !== undefined && /^(filter|input|data)/.test(fault.param)
  const field = (name: 'filter' | 'input' | 'data') => ({
    value: texts[name],
    onChange: (text: string) => setTyped({ ...typed, [name]: text }),
    readOnly: !rights.write,
    spellCheck: false,
    error: isAtField && fault.param.startsWith(name) ? fault.message : undefined,
  })
  // Deferred, so that typing is not blocked by the preview.
  const shown = useDeferredValue(isJson(texts.data) ? body : { ...body, data: hook.data })
  return (
    <div className="grid gap-x-8 lg:grid-cols-2">
      <Section title="Task">
        <Form className="grid gap-4" send={() => save.mutate()}>
          <TextArea
            label="Filter"
            isOptional
            mono
            longest={2_000}
            placeholder={'body.action == "opened"'}
            hint="Only events for which this CEL condition is true start a run."
            {...field('filter')}
          />
          <TextArea
            label="Input"
            isOptional
            longest={16_000}
            placeholder="{{ body.issue.title }}"
            hint="Without input and data, each run gets the body of the event."
            {...field('input')}
          />
          <TextArea
            label="Data"
            isOptional
            mono
            placeholder={'{ "issue": "{{ body.issue }}" }'}
            hint="A JSON object. Its texts are templates."
            {...field('data')}
            {...(!isJson(texts.data) && { error: 'Enter a JSON object' })}
          />
          <SelectField
            label="If the same event comes again"
            hint={dedupeHint(texts.dedupe)}
            value={texts.dedupe}
            onChange={(dedupe) => setTyped({ ...typed, dedupe })}
            options={dedupes}
            disabled={!rights.write}
          />
          {save.error !== null && !isAtField && <Failure error={save.error} />}
          {rights.write && (
            <div className="flex gap-2">
              <Button
                type="submit"
                kind="primary"
                isBusy={save.isPending}
                disabled={!isChanged || !isJson(texts.data)}
              >
                Save
              </Button>
              {isChanged && <Button onClick={discard}>Discard</Button>}
            </div>
          )}
        </Form>
      </Section>
      {rights.write && <Preview hook={hook} routing={shown} />}
    </div>
  )
}

function textsOf({ filter, input, data, dedupe }: Hook): Texts {
  return { filter: filter ?? '', input: input ?? '', data: jsonText(data), dedupe }
}

function toBody({ filter, input, data }: Texts): UpdateHook & PreviewHook {
  return {
    filter: filter.trim() === '' ? null : filter,
    input: input === '' ? null : input,
    data: objectOf(data),
  }
}

function isJson(text: string): boolean {
  const value = objectOf(text)
  return typeof value === 'object' && !Array.isArray(value)
}
