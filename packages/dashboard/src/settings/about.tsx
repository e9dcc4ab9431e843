import { useQuery } from '@tanstack/react-query'
import { BookOpen, FileJson } from 'lucide-react'
import { storeTheme, type Theme, THEMES, useTheme } from '../app/theme.ts'
import { healthQuery } from '../api/settings.ts'
import { useSession } from '../lib/hooks/use-session.ts'
import { Badge } from '../ui/badge.tsx'
import { Fieldset } from '../ui/field.tsx'
import { Until } from '../ui/time.tsx'
import { Section } from './section.tsx'

export function About() {
  const theme = useTheme()
  const session = useSession()
  const { data: health } = useQuery(healthQuery)
  return (
    <Section title="About" text={health === undefined ? 'Spoor' : `Spoor ${health.version}, ${location.origin}`}>
      <div className="space-y-6 border-t p-4">
        <ul className="flex flex-wrap gap-x-6 gap-y-2">
          <li>
            <a href="/docs" className="text-accent inline-flex items-center gap-1.5 hover:underline">
              <BookOpen className="size-4" aria-hidden /> API reference
            </a>
          </li>
          <li>
            <a href="/openapi.json" className="text-accent inline-flex items-center gap-1.5 hover:underline">
              <FileJson className="size-4" aria-hidden /> OpenAPI document
            </a>
          </li>
        </ul>
        <div>
          <h3 className="mb-1 text-sm font-medium">This session</h3>
          <p className="text-muted flex flex-wrap items-center gap-1 text-sm">
            has the scopes{' '}
            {session.scopes.map((scope) => (
              <Badge key={scope}>{scope}</Badge>
            ))}{' '}
            and ends <Until at={session.expires_at} />
          </p>
        </div>
        <Fieldset legend="Theme">
          <div className="flex flex-wrap gap-x-6 gap-y-2">
            {Object.entries(THEMES).map(([each, label]) => (
              <label key={each} className="flex cursor-pointer items-center gap-2 text-sm">
                <input
                  type="radio"
                  name="theme"
                  className="accent-accent size-4"
                  checked={each === theme}
                  onChange={() => storeTheme(each as Theme)}
                />
                {label}
              </label>
            ))}
          </div>
        </Fieldset>
        <p className="text-muted text-sm">
          Press <kbd className="bg-sunken rounded border px-1.5 font-mono text-xs">?</kbd> on any screen for its
          shortcuts.
        </p>
      </div>
    </Section>
  )
}
