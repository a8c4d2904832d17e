import { Link } from '@tanstack/react-router'
import { Square } from 'lucide-react'
import type { ReactNode } from 'react'
import type { Workflow } from '../../sdk/generated.ts'

type Warning = Workflow['warnings'][number]

const codes: Partial<
  Record<Warning['code'], { label: string; to: '/connectors' | '/model-providers' } | null>
> = {
  action_unavailable: { label: 'Connectors', to: '/connectors' },
  model_unavailable: { label: 'Model providers', to: '/model-providers' },
  placeholder_left: null,
}

export const isNeed = ({ code }: Warning): boolean => code in codes

/**
 * What a workflow or its schedule still needs: a list that stays until each item is met. Nothing if
 * there are none.
 */
export function Needs({ title, warnings }: { title: string; warnings: Warning[] }): ReactNode {
  const needs = warnings.filter(isNeed)
  if (needs.length === 0) return null
  return (
    <section aria-label={title} className="mb-6 rounded-lg bg-warn-soft px-4 py-3">
      <p className="font-medium text-warn">{title}</p>
      <ul className="mt-1 grid gap-1">
        {needs.map(({ code, message }) => {
          const place = codes[code]
          return (
            <li key={message} className="flex gap-2">
              <Square size={15} className="mt-0.5 shrink-0 text-warn" aria-hidden="true" />
              <span className="min-w-0">
                {message}
                {place && (
                  <>
                    {' · '}
                    <Link to={place.to} className="link whitespace-nowrap">
                      {place.label}
                    </Link>
                  </>
                )}
              </span>
            </li>
          )
        })}
      </ul>
    </section>
  )
}
