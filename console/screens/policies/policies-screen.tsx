import { useQueryClient } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useAnswer } from '../../session/api.ts'
import { useSession } from '../../session/session.tsx'
import { screenFor } from '../../session/for-role.tsx'
import { Editor } from '../../parts/editor/editor.tsx'
import { CheckField, SelectField, TextArea, TextField } from '../../ui/form/field.tsx'
import type { Fields } from '../../ui/form/fields.ts'
import { RulesField } from '../../parts/rules/rules-field.tsx'
import { Page, Section } from '../../ui/page.tsx'
import { Loaded } from '../../ui/states.tsx'
import { bodyOf, policiesForm, type Form } from './form.ts'
import { Suggestions } from './suggestions.tsx'

const neverSaved = ''

/** Policies, which apply to all workflows of the account. */
export const PoliciesScreen = screenFor('administer', 'Policies', AllPolicies)

function AllPolicies(): ReactNode {
  const { muster } = useSession()
  const queries = useQueryClient()
  // Refetched, to show changes by other admins.
  const query = useAnswer(['policies'], (muster, options) => muster.policies.retrieve(options), {
    refetchInterval: 15_000,
  })
  return (
    <Page
      title="Policies"
      about="Policies apply to all workflows of the account at once and override their settings. Each change is in the audit log."
    >
      <Suggestions />
      <Loaded query={query} lines={8}>
        {(policies) => (
          <Editor
            name="policies"
            saved={policiesForm(policies)}
            savedAt={policies.updated_at ?? neverSaved}
            look={async () => {
              const now = await muster.policies.retrieve()
              queries.setQueryData(['policies'], now)
              return policiesForm(now)
            }}
            view={FormView}
            bodyOf={bodyOf}
            ask={({ limitsHosts, hosts }) =>
              limitsHosts && hosts.trim() === ''
                ? {
                    title: 'Block all web pages?',
                    text: 'The list of hosts is empty, so agents can read no page at all.',
                    action: 'Block all pages',
                  }
                : undefined
            }
            save={async (form) =>
              void queries.setQueryData(['policies'], await muster.policies.update(bodyOf(form)))
            }
          />
        )}
      </Loaded>
    </Page>
  )
}

function FormView({ form, field, check }: Fields<Form>): ReactNode {
  return (
    <>
      <Section title="Approvals">
        <div className="panel grid gap-4 p-4">
          <div className="max-w-md">
            <SelectField
              label="Require approval for at least"
              {...field('floor')}
              options={[
                { value: 'none', label: 'As each workflow says' },
                { value: 'sensitive', label: 'Actions that change other systems' },
                { value: 'all', label: 'All actions' },
              ]}
            />
          </div>
          <CheckField
            label="Four eyes"
            hint="A person who triggered or retried a run may not approve its actions."
            {...check('fourEyes')}
          />
          <CheckField
            label="Answers must name their request"
            hint="Programs have to send pending_id. The console, the command line and the SDK do."
            {...check('requiresPendingId')}
          />
          <TextArea
            label="Actions that are always sensitive"
            hint="One a line, such as web.fetch. Treated as actions that change other systems."
            mono
            {...field('actions', 'sensitive_actions')}
          />
        </div>
      </Section>
      <Section title="Rules">
        <div className="panel p-4">
          <RulesField {...field('rules', 'rules')} />
        </div>
      </Section>
      <Section title="Limits">
        <div className="panel grid gap-4 p-4">
          <CheckField
            label="Agents may read pages of certain hosts only"
            {...check('limitsHosts')}
          />
          {form.limitsHosts && (
            <TextArea
              label="Hosts"
              hint="One a line: docs.example.com, or *.example.com for all below it. Empty: no page at all."
              mono
              {...field('hosts', 'web_fetch_hosts')}
            />
          )}
          <div className="max-w-48">
            <TextField
              label="Emails in a day"
              hint="Empty: no limit. Days are UTC."
              inputMode="numeric"
              {...field('mails', 'mails_a_day')}
            />
          </div>
        </div>
      </Section>
    </>
  )
}
