import { useMutation } from '@tanstack/react-query'
import { useState, type ComponentType, type ReactNode } from 'react'
import { Confirm } from '../../ui/confirm.tsx'
import { useDraft, writeDraft } from '../../ui/form/draft.ts'
import { faultOf } from '../../ui/form/fault.ts'
import { fieldsOf, type Fields } from '../../ui/form/fields.ts'
import { TextField } from '../../ui/form/field.tsx'
import { MusterError } from '../../../sdk/errors.ts'
import { ForRole } from '../../session/for-role.tsx'
import { Page } from '../../ui/page.tsx'
import { SaveBar, StaleNotice } from '../../ui/form/save-bar.tsx'

interface EditorProps<Form> {
  /** Key under which the draft is stored. */
  name: string
  saved: Form
  savedAt: string
  /** The body that the form sends. Forms with equal bodies are equal. */
  bodyOf: (form: Form) => object
  save: (form: Form, note: string) => Promise<void>
  /** For resources with versions: saves a draft and then shows it. */
  drafts?: { save: (form: Form, note: string) => Promise<number>; show: (version: number) => void }
  /** A question to confirm before saving; undefined for none. */
  ask?: (form: Form) => Question | undefined
  /** Refetches the saved resource. */
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
  /** Saves the form as a draft, without clearing it; an error is shown at its foot. */
  saveDraft: () => Promise<number | undefined>
  view: ReactNode
}

export function Editor<Form extends object>(props: EditorProps<Form>): ReactNode {
  return useEditor(props).view
}

/**
 * An editor whose unsaved state survives a reload; a change that another person saved meanwhile is
 * shown instead of being overwritten.
 */
export function useEditor<Form extends object>(props: EditorProps<Form>): Editing {
  const { name, saved, savedAt, bodyOf, drafts, view: View } = props
  // The body of the saved version that the unsaved state is based on.
  const [draft, setDraft, clear] = useDraft<{ form: Form; base: string } | undefined>(
    name,
    undefined,
  )
  // The stored state of an older console lacks newer fields.
  const form = { ...saved, ...draft?.form }
  const bodyText = (form: Form) => JSON.stringify(bodyOf(form))
  const savedText = bodyText(saved)
  const isChanged = draft !== undefined && bodyText(form) !== savedText
  const isStale = isChanged && draft.base !== savedText
  const [note, setNote, clearNote] = useDraft(`${name}.note`, '')
  /** Undefined if another person saved first: their version is shown, and nothing is sent. */
  const sendUnlessStale = async <T,>(send: () => Promise<T>): Promise<T | undefined> => {
    if (bodyText(await props.look()) !== savedText) return undefined
    try {
      return await send()
    } catch (error) {
      if (!(error instanceof MusterError) || error.code !== 'version_conflict') throw error
      await props.look()
      return undefined
    }
  }
  const save = useMutation({
    mutationFn: () => sendUnlessStale(() => props.save(form, note).then(() => true)),
    onSuccess: (isSaved) => isSaved === true && discard(),
  })
  const draftSaving = useMutation({
    mutationFn: async () => sendUnlessStale(async () => drafts?.save(form, note)),
  })
  const keepDraft = async (): Promise<void> => {
    const version = await draftSaving.mutateAsync().catch(() => undefined)
    if (version === undefined) return
    discard()
    drafts?.show(version)
  }
  const discard = () => {
    clear()
    clearNote()
    save.reset()
    draftSaving.reset()
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
      {/* Input during the request would be lost when the draft is cleared. */}
      <div inert={save.isPending || draftSaving.isPending}>
        <View {...fieldsOf(form, change, faultOf(save.error ?? draftSaving.error))} />
      </div>
      {isChanged && (
        <SaveBar
          action={isStale ? 'Overwrite' : drafts === undefined ? 'Save' : 'Publish'}
          isBusy={save.isPending}
          error={save.error ?? draftSaving.error}
          save={start}
          discard={discard}
          also={
            drafts && {
              action: 'Save draft',
              isBusy: draftSaving.isPending,
              run: () => void keepDraft(),
            }
          }
        >
          {isStale && <StaleNotice changedAt={savedAt} discard={discard} />}
          {drafts !== undefined && (
            <TextField
              label="What changed"
              isOptional
              longest={500}
              placeholder="A note for the history"
              value={note}
              onChange={setNote}
            />
          )}
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
  const saveDraft = () => draftSaving.mutateAsync().catch(() => undefined)
  return { isChanged, saveDraft, view }
}

/** Fills the next editor with a form, as if it had been typed. */
export function storeDraft<Form>(
  name: string,
  form: Form,
  saved: Form,
  bodyOf: (form: Form) => object,
): void {
  writeDraft(name, { form, base: JSON.stringify(bodyOf(saved)) })
}

interface NewScreenProps<Form> {
  title: string
  about: string
  above: ReactNode
  action: string
  /** Key under which the draft is stored. */
  name: string
  empty: Form
  /** Creates the resource. `leave` then opens it, after the draft is deleted. */
  create: (form: Form) => Promise<{ leave: () => Promise<void> }>
  view: ComponentType<Fields<Form>>
}

/** The screen that creates a resource, for roles with the permission. */
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
