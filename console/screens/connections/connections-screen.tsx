import { Link } from '@tanstack/react-router'
import { ChevronRight } from 'lucide-react'
import type { ReactNode } from 'react'
import { connectionGroups } from '../../parts/connections.ts'
import { Page, Section } from '../../ui/page.tsx'

/** All ways into and out of Muster, each with a sentence. */
export function ConnectionsScreen(): ReactNode {
  return (
    <Page
      title="Connections"
      about={
        <>
          What starts runs, what agents use, and who hears about it.{' '}
          <Link to="/help/$" params={{ _splat: 'which-one' }} className="link">
            Which one do I want?
          </Link>
        </>
      }
    >
      {connectionGroups.map(({ title, connections }) => (
        <Section key={title} title={title}>
          <ul aria-label={title} className="panel divide-y">
            {connections.map(({ to, label, icon: Icon, about }) => (
              <li key={to}>
                <Link to={to} className="flex items-center gap-3 px-4 py-3 hover:bg-hover">
                  <Icon size={18} strokeWidth={1.8} className="shrink-0" aria-hidden="true" />
                  <span className="grid flex-1 gap-x-4 sm:grid-cols-[10rem_1fr]">
                    <span className="font-medium">{label}</span>
                    <span className="text-sm text-ink-soft">{about}</span>
                  </span>
                  <ChevronRight size={16} className="shrink-0 text-ink-faint" aria-hidden="true" />
                </Link>
              </li>
            ))}
          </ul>
        </Section>
      ))}
    </Page>
  )
}
