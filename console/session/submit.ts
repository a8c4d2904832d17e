import { useState } from 'react'

/** The state of a sign-in form: being sent, or failed with an error. */
export function useSubmit(send: () => Promise<void>): {
  submit: () => void
  isBusy: boolean
  error: unknown
} {
  const [state, setState] = useState<{ isBusy: boolean; error?: unknown }>({ isBusy: false })
  const submit = () => {
    setState({ isBusy: true })
    send().then(
      () => setState({ isBusy: false }),
      (error: unknown) => setState({ isBusy: false, error }),
    )
  }
  return { submit, isBusy: state.isBusy, error: state.error }
}
