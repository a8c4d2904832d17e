import type { ReactNode } from 'react'
import type { Role } from '../../session/roles.ts'
import { SelectField } from '../../ui/form/field.tsx'

interface Props {
  label: string
  value: Role
  onChange: (role: Role) => void
  /** In a row of a person: the label is hidden, and there is no description. */
  isShort?: boolean
}

const meanings: Record<Role, string> = {
  viewer: 'Viewer: reads',
  approver: 'Approver: reads and answers',
  member: 'Member: changes and runs, too',
  admin: 'Admin: people, keys and connectors, too',
}

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
