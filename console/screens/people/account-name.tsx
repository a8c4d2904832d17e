import { useMutation } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useSession } from '../../session/session.tsx'
import { Button } from '../../ui/button.tsx'
import { useDraft } from '../../ui/form/draft.ts'
import { Failure } from '../../ui/failure.tsx'
import { TextField } from '../../ui/form/field.tsx'
import { Form } from '../../ui/form/form.tsx'
import { Section } from '../../ui/page.tsx'

/** The account's name, for all its users. */
export function AccountName(): ReactNode {
  const { muster, identity, enter } = useSession()
  const { account, person } = identity
  const [name, setName, clear] = useDraft('account.name', account.name)
  const save = useMutation({
    mutationFn: () => muster.account.update({ name: name.trim() }),
    onSuccess: (renamed) => {
      clear()
      const now = person && {
        ...person,
        account: renamed,
        accounts: person.accounts.map((one) =>
          one.id === renamed.id ? { ...one, ...renamed } : one,
        ),
      }
      return enter({ ...identity, account: renamed, person: now })
    },
  })
  return (
    <Section title="Account">
      <Form className="panel grid max-w-md gap-4 p-4" send={() => save.mutate()}>
        <TextField
          label="Account name"
          hint="Everyone in the account sees it."
          required
          longest={120}
          value={name}
          onChange={setName}
        />
        {save.error !== null && <Failure error={save.error} />}
        <div>
          <Button type="submit" isBusy={save.isPending} disabled={name.trim() === account.name}>
            Save account name
          </Button>
        </div>
      </Form>
    </Section>
  )
}
