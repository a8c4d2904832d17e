import { UserPlus, Users } from 'lucide-react'
import type { ReactNode } from 'react'
import type { User } from '../../../sdk/generated.ts'
import { usePages } from '../../session/api.ts'
import { screenFor } from '../../session/for-role.tsx'
import { useFind } from '../../ui/find.tsx'
import { List } from '../../ui/list.tsx'
import { OpenForm } from '../../ui/form/open-form.tsx'
import { Page, Section } from '../../ui/page.tsx'
import { Empty } from '../../ui/states.tsx'
import { AccountName } from './account-name.tsx'
import { Invitations } from './invitations.tsx'
import { Invite } from './invite.tsx'
import { PersonRow } from './person-row.tsx'

/** The users of the account with their roles, and open invitations. */
export const PeopleScreen = screenFor('administer', 'People', People)

function People(): ReactNode {
  const query = usePages(['users', 'pages'], (muster, options) =>
    muster.users.list({ ...options, limit: 100 }),
  )
  const find = useFind(({ name, email, role }: User) => [name, email, role].join(' '))
  return (
    <Page
      title="People"
      actions={
        <OpenForm kind="primary" icon={UserPlus} label="Invite">
          {(close) => <Invite close={close} />}
        </OpenForm>
      }
    >
      <Section title="In this account">
        <List
          label="People"
          query={query}
          find={find}
          empty={
            <Empty icon={Users} title="No people yet" help="people">
              <p>Keys are for programs. Invite people, so that it is known who decided what.</p>
            </Empty>
          }
        >
          {(user) => <PersonRow user={user} />}
        </List>
      </Section>
      <Invitations />
      <AccountName />
    </Page>
  )
}
