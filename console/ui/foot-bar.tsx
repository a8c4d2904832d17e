import type { ComponentProps, ReactNode } from 'react'

/** A bar at the bottom of the window, above a phone's navigation, while its section is in view. */
export function FootBar(props: Omit<ComponentProps<'div'>, 'className'>): ReactNode {
  return (
    <div
      className="foot-bar bottom-[calc(4rem+var(--not-live))] z-20 grid gap-3 rounded-lg border bg-raised p-3 shadow-raised md:bottom-[calc(1rem+var(--not-live))]"
      {...props}
    />
  )
}
