import type { ComponentProps, ReactNode } from 'react'

type Props = Omit<ComponentProps<'form'>, 'onSubmit'> & { send: () => void }

/** A form that is submitted by script. */
export function Form({ send, ...rest }: Props): ReactNode {
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        send()
      }}
      {...rest}
    />
  )
}
