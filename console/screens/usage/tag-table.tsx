import { getRouteApi } from '@tanstack/react-router'
import { useState, type ReactNode } from 'react'
import { Form } from '../../ui/form/form.tsx'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/form/field.tsx'
import { Section } from '../../ui/page.tsx'
import { UsageTable } from './usage-table.tsx'

const route = getRouteApi('/usage')

/** Programs choose their tags freely, so the viewer picks the key to group by. */
export function TagTable({ from, tag }: { from: string; tag: string | undefined }): ReactNode {
  const [key, setKey] = useState(tag ?? '')
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const isWrong = key !== '' && !/^[a-z0-9_.-]{1,40}$/.test(key)
  return (
    <>
      <Section title="By tag">
        <Form
          className="flex flex-wrap items-end gap-2"
          send={() => {
            const { tag: _, ...others } = search
            if (!isWrong) void navigate({ search: key === '' ? others : { ...others, tag: key } })
          }}
        >
          <TextField
            type="search"
            label="Key of the tag"
            value={key}
            onChange={setKey}
            placeholder="customer"
            {...(isWrong ? { error: 'Up to 40 of a–z, 0–9, _ . and -' } : {})}
          />
          <Button type="submit">Show</Button>
        </Form>
      </Section>
      {tag !== undefined && (
        <UsageTable title={`Tag ${tag}`} from={from} groupBy={`tag:${tag}`} name={`tag ${tag}`} />
      )}
    </>
  )
}
