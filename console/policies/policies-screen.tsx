import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useSession } from '../session/session.tsx'
import { ForRole } from '../ui/for-role.tsx'
import { Editor } from '../ui/editor.tsx'
import type { faultOf } from '../ui/fault.ts'
import { CheckField, SelectField, TextArea, TextField } from '../ui/field.tsx'
import { Page, Section, usePageTitle } from '../ui/page.tsx'
import { Loaded } from '../ui/states.tsx'
import { bodyOf, formOf, type Form } from './form.ts'

/** What holds for all workflows of the account. */
export function PoliciesScreen(): ReactNode {
  usePageTitle('Policies')
  return (
    <ForRole needs="administer" title="Policies">
      <AllPolicies />
    </ForRole>
  )
}

function AllPolicies(): ReactNode {
  const { muster } = useSession()
  const queries = useQueryClient()
  const query = useQuery({
    queryKey: ['policies'],
    queryFn: ({ signal }) => muster.policies.retrieve({ signal }),
  })
  return (
    <Page
      title="Policies"
      about="They hold for every workflow of the account, at once, whatever a workflow says. Each change is in the audit."
    >
      <Loaded query={query} lines={8}>
        {(policies) => (
          <Editor
            name="policies"
            saved={formOf(policies)}
            bodyOf={bodyOf}
            save={async (form) =>
              void queries.setQueryData(['policies'], await muster.policies.update(bodyOf(form)))
            }
          >
            {(form, change, fault) => <Fields form={form} change={change} fault={fault} />}
          </Editor>
        )}
      </Loaded>
    </Page>
  )
}

interface FieldsProps {
  form: Form
  change: (form: Form) => void
  fault: ReturnType<typeof faultOf>
}

function Fields({ form, change, fault }: FieldsProps): ReactNode {
  const set = (part: Partial<Form>) => change({ ...form, ...part })
  const faultIn = (param: string) =>
    fault?.param.startsWith(param) === true ? fault.message : undefined
  return (
    <>
      <Section title="Approvals">
        <div className="panel grid gap-4 p-4">
          <div className="max-w-md">
            <SelectField
              label="What waits for a person at least"
              value={form.floor}
              onChange={(floor) => set({ floor: floor as Form['floor'] })}
              options={[
                { value: 'none', label: 'What each workflow says' },
                { value: 'sensitive', label: 'Actions that write outside' },
                { value: 'all', label: 'All actions' },
              ]}
            />
          </div>
          <CheckField
            label="Four eyes"
            hint="Whoever triggered or retried a run may not approve in it."
            checked={form.fourEyes}
            onChange={(fourEyes) => set({ fourEyes })}
          />
          <CheckField
            label="Answers must name their request"
            hint="Programs have to send pending_id. The console, the command line and the SDK do."
            checked={form.requiresPendingId}
            onChange={(requiresPendingId) => set({ requiresPendingId })}
          />
          <TextArea
            label="Actions that are always sensitive"
            hint="One a line, such as web.fetch. They count as writing outside."
            mono
            value={form.actions}
            onChange={(actions) => set({ actions })}
            error={faultIn('sensitive_actions')}
          />
        </div>
      </Section>
      <Section title="Reach">
        <div className="panel grid gap-4 p-4">
          <CheckField
            label="Agents may read pages of certain hosts only"
            checked={form.limitsHosts}
            onChange={(limitsHosts) => set({ limitsHosts })}
          />
          {form.limitsHosts && (
            <TextArea
              label="Hosts"
              hint="One a line: docs.example.com, or *.example.com for all below it. None: no page."
              mono
              value={form.hosts}
              onChange={(hosts) => set({ hosts })}
              error={faultIn('web_fetch_hosts')}
            />
          )}
          <div className="max-w-48">
            <TextField
              label="Emails in a day"
              hint="Empty: no limit. Days are UTC."
              inputMode="numeric"
              value={form.mails}
              onChange={(mails) => set({ mails })}
              error={faultIn('mails_a_day')}
            />
          </div>
        </div>
      </Section>
    </>
  )
}
