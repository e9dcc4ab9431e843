import { useQuery } from '@tanstack/react-query'
import { settingsQuery } from '../api/settings.ts'
import { Loading } from '../ui/states.tsx'
import { Section } from './section.tsx'
import { nameOfSetting, valueOfSetting } from './setting-words.ts'

export function Limits() {
  const query = useQuery(settingsQuery)
  const { data: settings } = query
  return (
    <Section
      title="Limits"
      text="Request limits, and for how long Spoor keeps its own records. The operator sets these when starting Spoor: see spoor serve --help."
    >
      {settings === undefined ? (
        <Loading query={query} rows={12} />
      ) : (
        <div className="grid items-start gap-6 border-t p-4 xl:grid-cols-2">
          <div className="space-y-6">
            <Group title="Retention" values={settings.retention} />
            <Group title="Features" values={settings.features} />
          </div>
          <Group title="Limits" values={settings.limits} />
        </div>
      )}
    </Section>
  )
}

function Group({ title, values }: { title: string; values: Readonly<Record<string, unknown>> }) {
  const entries = Object.entries(values)
  if (entries.length === 0) return null
  return (
    <section aria-label={title} className="min-w-0">
      <h3 className="mb-2 text-sm font-semibold">{title}</h3>
      <dl className="rounded-md border text-sm">
        {entries.map(([name, value]) => (
          <div key={name} className="flex items-baseline justify-between gap-4 border-b px-3 py-1.5 last:border-b-0">
            <dt title={name}>{nameOfSetting(name)}</dt>
            <dd className="min-w-0 text-right break-words tabular-nums" title={String(value)}>
              {valueOfSetting(name, value)}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  )
}
