import { useMutation } from '@tanstack/react-query'
import { useState, type ComponentType, type ReactNode } from 'react'
import { Confirm } from '../../ui/confirm.tsx'
import { useDraft } from '../../ui/form/draft.ts'
import { faultOf } from '../../ui/form/fault.ts'
import { fieldsOf, type Fields } from '../../ui/form/fields.ts'
import { ForRole } from '../../session/for-role.tsx'
import { Page } from '../../ui/page.tsx'
import { SaveBar, StaleNotice } from '../../ui/form/save-bar.tsx'

interface EditorProps<Form> {
  /** Names the draft. */
  name: string
  saved: Form
  savedAt: string
  /** What is sent of a form: two that send the same are the same. */
  bodyOf: (form: Form) => object
  save: (form: Form) => Promise<void>
  /** What is asked before such a form is saved; undefined for nothing. */
  ask?: (form: Form) => Question | undefined
  /** Reads anew what is saved. */
  look: () => Promise<Form>
  view: ComponentType<Fields<Form>>
}

interface Question {
  title: string
  text: string
  action: string
}

interface Editing {
  isChanged: boolean
  /** Whether what was typed is saved now; why not is shown at the foot of the form. */
  save: () => Promise<boolean>
  view: ReactNode
}

export function Editor<Form extends object>(props: EditorProps<Form>): ReactNode {
  return useEditor(props).view
}

/** Edits a draft, which outlives a reload; a change that another person saved meanwhile is shown, not overwritten unseen. */
export function useEditor<Form extends object>(props: EditorProps<Form>): Editing {
  const { name, saved, savedAt, bodyOf, view: View } = props
  // With what the draft began from, as it would be sent.
  const [draft, setDraft, clear] = useDraft<{ form: Form; base: string } | undefined>(
    name,
    undefined,
  )
  // A draft of an older console lacks what was added since.
  const form = { ...saved, ...draft?.form }
  const textOf = (form: Form) => JSON.stringify(bodyOf(form))
  const savedText = textOf(saved)
  const isChanged = draft !== undefined && textOf(form) !== savedText
  const isStale = isChanged && draft.base !== savedText
  const save = useMutation({
    mutationFn: async () => {
      // What was saved since it was read last is shown first.
      if (textOf(await props.look()) !== savedText) return false
      await props.save(form)
      return true
    },
    onSuccess: (isSaved) => isSaved && clear(),
  })
  const discard = () => {
    clear()
    save.reset()
  }
  const [asked, setAsked] = useState<Question>()
  const start = () => {
    const question = props.ask?.(form)
    if (question === undefined) save.mutate()
    else setAsked(question)
  }
  const change = (form: Form) => setDraft({ form, base: draft?.base ?? savedText })
  const view = (
    <>
      {/* What is typed while it is sent would be lost with the draft. */}
      <div inert={save.isPending}>
        <View {...fieldsOf(form, change, faultOf(save.error))} />
      </div>
      {isChanged && (
        <SaveBar
          action={isStale ? 'Overwrite' : 'Save'}
          isBusy={save.isPending}
          error={save.error}
          save={start}
          discard={discard}
        >
          {isStale && <StaleNotice changedAt={savedAt} discard={discard} />}
        </SaveBar>
      )}
      {asked !== undefined && (
        <Confirm
          title={asked.title}
          action={asked.action}
          wayOut="Keep editing"
          run={async () => save.mutate()}
          onClose={() => setAsked(undefined)}
        >
          {asked.text}
        </Confirm>
      )}
    </>
  )
  return { isChanged, save: () => save.mutateAsync().catch(() => false), view }
}

interface NewScreenProps<Form> {
  title: string
  about: string
  above: ReactNode
  action: string
  /** Names the draft. */
  name: string
  empty: Form
  /** Makes it; the draft goes before one leaves for what was made. */
  create: (form: Form) => Promise<{ leave: () => Promise<void> }>
  view: ComponentType<Fields<Form>>
}

/** The screen on which something new is made, for those who may. */
export function NewScreen<Form extends object>(props: NewScreenProps<Form>): ReactNode {
  const { title, about, above, action, name, empty, create, view: View } = props
  const [draft, setForm, clear, isChanged] = useDraft<Form>(name, empty)
  const form = { ...empty, ...draft }
  const making = useMutation({
    mutationFn: () => create(form),
    onSuccess: ({ leave }) => {
      clear()
      return leave()
    },
  })
  return (
    <ForRole needs="write" title={title}>
      <Page title={title} above={above} about={about}>
        <div inert={making.isPending}>
          <View {...fieldsOf(form, setForm, faultOf(making.error))} />
        </div>
        <SaveBar
          action={action}
          isBusy={making.isPending}
          error={making.error}
          save={() => making.mutate()}
          {...(isChanged ? { discard: clear } : {})}
        />
      </Page>
    </ForRole>
  )
}
