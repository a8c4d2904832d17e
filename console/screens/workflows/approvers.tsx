import type { ReactNode } from 'react'
import { useUsers } from '../../data/people.ts'
import { useSession } from '../../session/session.tsx'
import { CheckField, TextField } from '../../ui/form/field.tsx'
import type { Fields } from '../../ui/form/fields.ts'
import { approverRoles, type Form } from './form.ts'

const roleLabels = { approver: 'Approvers', member: 'Members', admin: 'Admins' } as const

/** Who may answer, and how many people have to approve. */
export function ApproverFields({ form, set, field }: Fields<Form>): ReactNode {
  const { rights } = useSession()
  const { data: users = [] } = useUsers({ enabled: rights.administer })
  const unlisted = form.users.filter((id) => !users.some((user) => user.id === id))
  const people = [
    ...users.map(({ id, name }) => ({ id, name })),
    ...unlisted.map((id) => ({ id, name: id })),
  ]
  const { error } = field('roles', 'human_in_the_loop.approvers')
  return (
    <>
      <fieldset className="grid gap-2">
        <legend className="mb-1.5 text-sm font-medium text-ink-soft">Who may answer</legend>
        <div className="flex flex-wrap gap-x-6 gap-y-2">
          {approverRoles.map((role) => (
            <CheckField
              key={role}
              label={roleLabels[role]}
              checked={form.roles.includes(role)}
              onChange={(isOn) => set({ roles: toggle(form.roles, role, isOn) })}
            />
          ))}
        </div>
        {people.length > 0 && (
          <div className="flex flex-wrap gap-x-6 gap-y-2">
            {people.map(({ id, name }) => (
              <CheckField
                key={id}
                label={name}
                checked={form.users.includes(id)}
                onChange={(isOn) => set({ users: toggle(form.users, id, isOn) })}
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
      <div className="max-w-64">
        <TextField
          label="People who have to approve"
          hint="1 to 5, all different. Over 1, keys do not count."
          inputMode="numeric"
          {...field('required', 'human_in_the_loop.required_approvals')}
        />
      </div>
    </>
  )
}

function toggle<T>(all: readonly T[], one: T, isOn: boolean): T[] {
  return isOn ? [...all, one] : all.filter((other) => other !== one)
}
