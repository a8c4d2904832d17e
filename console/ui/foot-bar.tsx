import type { ComponentProps, ReactNode } from 'react'

/** Stays at the foot of the window, over the bar of a phone, as long as what it is about is in view. */
export function FootBar(props: Omit<ComponentProps<'div'>, 'className'>): ReactNode {
  return (
    <div
      className="sticky bottom-[calc(4rem+var(--not-live))] z-20 grid gap-3 rounded-lg border bg-raised p-3 shadow-raised md:bottom-[calc(1rem+var(--not-live))]"
      {...props}
    />
  )
}
