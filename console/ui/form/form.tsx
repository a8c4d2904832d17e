import type { ComponentProps, ReactNode } from 'react'

type Props = Omit<ComponentProps<'form'>, 'onSubmit'> & { send: () => void }

/** A form that the page sends itself. */
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
