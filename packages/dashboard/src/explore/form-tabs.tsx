import { Link } from '@tanstack/react-router'
import { useShortcuts } from '../lib/hooks/use-shortcuts.ts'
import { changed } from '../lib/search.ts'
import type { FeedSearch } from '../traces/filters/search.ts'

const FORMS = [
  { as: undefined, label: 'Table', key: '1' },
  { as: 'steps', label: 'Steps', key: '2' },
  { as: 'chart', label: 'Chart', key: '3' },
] as const

/** The same query as a table of traces, a table of steps, or a chart. */
export function FormTabs({ search, onChange }: { search: FeedSearch; onChange(next: FeedSearch): void }) {
  const withForm = (as: FeedSearch['as']) => changed<FeedSearch>(search, { as, at: undefined, group: undefined })
  useShortcuts(
    'Trace list',
    Object.fromEntries(
      FORMS.map(({ as, label, key }) => [
        key,
        { does: `Show as ${label.toLowerCase()}`, run: () => onChange(withForm(as)) },
      ]),
    ),
  )
  return (
    <nav aria-label="Show as" className="bg-sunken flex rounded-md border p-0.5">
      {FORMS.map(({ as, label, key }) => (
        <Link
          key={label}
          to="/app/traces"
          search={withForm(as)}
          // The search of the table is a part of each other one.
          activeOptions={{ exact: true }}
          title={`Show as ${label.toLowerCase()} (${key})`}
          {...(search.as === as ? { 'aria-current': 'page' } : {})}
          className="text-muted hover:text-ink aria-[current]:bg-raised aria-[current]:text-ink rounded px-2.5 py-0.5 font-medium aria-[current]:shadow-sm"
        >
          {label}
        </Link>
      ))}
    </nav>
  )
}
