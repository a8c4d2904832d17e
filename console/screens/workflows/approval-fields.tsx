import type { ReactNode } from 'react'
import { useUsers } from '../../data/people.ts'
import { useSession } from '../../session/session.tsx'
import { CheckField, SelectField, TextField } from '../../ui/form/field.tsx'
import type { Fields } from '../../ui/form/fields.ts'
import { approverRoles, type Form } from './form.ts'

const roleLabels = { approver: 'Approvers', member: 'Members', admin: 'Admins' } as const

/** Which actions wait for a person, for how long and for whom. */
export function ApprovalFields(fields: Fields<Form>): ReactNode {
  const { form, field, check } = fields
  return (
    <div className="panel grid gap-4 p-4">
      <CheckField
        label="Human in the loop"
        hint="Runs pause for approvals and questions. When off, actions that require approval are refused and the agent continues without them."
        {...check('pauses')}
      />
      {form.pauses && (
        <>
          <CheckField label="Agents may ask questions" {...check('asks')} />
          <div className="grid gap-4 sm:grid-cols-3">
            <TextField
              label="Time to answer (hours)"
              hint="Empty: no limit."
              inputMode="decimal"
              {...field('timeoutHours', 'human_in_the_loop.timeout_seconds')}
            />
            <SelectField
              label="When no one answers"
              {...field('onTimeout')}
              options={[
                { value: 'fail', label: 'Fail the run' },
                { value: 'reject', label: 'Continue without the action' },
              ]}
            />
          </div>
          <ApproverFields {...fields} />
        </>
      )}
      <div className="max-w-md">
        <SelectField
          label="Require approval for"
          {...field('approvals')}
          options={[
            { value: 'sensitive', label: 'Actions that change other systems' },
            { value: 'all', label: 'All actions' },
            { value: 'never', label: 'Never (all actions run unattended)' },
          ]}
        />
      </div>
      {form.approvals === 'never' && (
        <p role="note" className="rounded-md bg-warn-soft px-3 py-2 text-sm text-warn">
          Agents of this workflow send, post and write without approval.
        </p>
      )}
    </div>
  )
}

/** Who may answer, how many approvals are required, and to whom unanswered requests escalate. */
function ApproverFields({ form, set, field }: Fields<Form>): ReactNode {
  const { error } = field('roles', 'human_in_the_loop.approvers')
  const escalation = field('escalateRoles', 'human_in_the_loop.escalate_to')
  return (
    <>
      <PeopleField
        label="Who may answer"
        roles={form.roles}
        users={form.users}
        error={error}
        set={(roles, users) => set({ roles, users })}
      />
      <div className="grid gap-4 sm:grid-cols-3">
        <TextField
          label="People who have to approve"
          hint="1 to 5 different people. Above 1, keys do not count."
          inputMode="numeric"
          {...field('required', 'human_in_the_loop.required_approvals')}
        />
        <TextField
          label="Remind after (minutes)"
          hint="Through channels. Empty: never."
          inputMode="numeric"
          {...field('remindAfter', 'human_in_the_loop.remind_after_minutes')}
        />
        <TextField
          label="Escalate after (minutes)"
          hint="Through channels. Empty: never."
          inputMode="numeric"
          {...field('escalateAfter', 'human_in_the_loop.escalate_after_minutes')}
        />
      </div>
      {form.escalateAfter !== '' && (
        <PeopleField
          label="Escalate to"
          roles={form.escalateRoles}
          users={form.escalateUsers}
          error={escalation.error}
          set={(escalateRoles, escalateUsers) => set({ escalateRoles, escalateUsers })}
        />
      )}
    </>
  )
}

interface PeopleProps {
  label: string
  roles: Form['roles']
  users: string[]
  error: string | undefined
  set: (roles: Form['roles'], users: string[]) => void
}

/** Roles and, for admins, single people. */
function PeopleField({ label, roles, users: chosen, error, set }: PeopleProps): ReactNode {
  const { rights } = useSession()
  const { data: users = [] } = useUsers({ enabled: rights.administer })
  const unlisted = chosen.filter((id) => !users.some((user) => user.id === id))
  const people = [
    ...users.map(({ id, name }) => ({ id, name })),
    ...unlisted.map((id) => ({ id, name: id })),
  ]
  return (
    <fieldset className="grid gap-2">
      <legend className="mb-1.5 text-sm font-medium text-ink-soft">{label}</legend>
      <div className="flex flex-wrap gap-x-6 gap-y-2">
        {approverRoles.map((role) => (
          <CheckField
            key={role}
            label={roleLabels[role]}
            checked={roles.includes(role)}
            onChange={(isOn) => set(toggle(roles, role, isOn), chosen)}
          />
        ))}
      </div>
      {people.length > 0 && (
        <div className="flex flex-wrap gap-x-6 gap-y-2">
          {people.map(({ id, name }) => (
            <CheckField
              key={id}
              label={name}
              checked={chosen.includes(id)}
              onChange={(isOn) => set(roles, toggle(chosen, id, isOn))}
            />
          ))}
        </div>
      )}
      {error !== undefined && (
        <p role="alert" className="text-xs text-bad">
          {error}
        </p>
      )}
    </fieldset>
  )
}

function toggle<T>(all: readonly T[], one: T, isOn: boolean): T[] {
  return isOn ? [...all, one] : all.filter((other) => other !== one)
}
