import type { ReactNode } from 'react'
import type { KeyRole, Role } from '../../session/roles.ts'
import { SelectField } from '../../ui/form/field.tsx'

interface Props {
  label: string
  value: Role
  onChange: (role: Role) => void
  /** In a row of a person: the label is hidden, and there is no description. */
  isShort?: boolean
}

const meanings = {
  viewer: 'Viewer: reads',
  approver: 'Approver: reads and answers',
  member: 'Member: changes and runs, too',
  admin: 'Admin: people, keys and connectors, too',
} satisfies Record<Role, string>

const meaningsOfKeys = {
  ...meanings,
  worker: 'Worker: executes calls of your own tools, and nothing else',
} satisfies Record<KeyRole, string>

export function RoleField({ label, value, onChange, isShort = false }: Props): ReactNode {
  return (
    <SelectField
      label={label}
      isLabelHidden={isShort}
      value={value}
      onChange={(role) => onChange(role as Role)}
      options={Object.entries(meanings).map(([role, meaning]) => ({
        value: role,
        label: isShort ? (meaning.split(':')[0] ?? role) : meaning,
      }))}
    />
  )
}

/** The role of an API key. */
export function KeyRoleField({
  label,
  value,
  onChange,
}: {
  label: string
  value: KeyRole
  onChange: (role: KeyRole) => void
}): ReactNode {
  return (
    <SelectField
      label={label}
      value={value}
      onChange={(role) => onChange(role as KeyRole)}
      options={Object.entries(meaningsOfKeys).map(([role, label]) => ({ value: role, label }))}
    />
  )
}
