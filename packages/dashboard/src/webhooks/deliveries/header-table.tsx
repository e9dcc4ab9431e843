/** HTTP headers as sent, collapsed. */
export function HeaderTable({ title, headers }: { title: string; headers: Readonly<Record<string, string>> }) {
  const entries = Object.entries(headers)
  return (
    <details>
      <summary className="text-muted hover:text-ink text-sm">
        {title} ({entries.length})
      </summary>
      <dl className="bg-sunken mt-1 grid gap-x-4 gap-y-1 rounded-md border p-2 font-mono text-xs sm:grid-cols-[minmax(0,11rem)_minmax(0,1fr)]">
        {entries.map(([name, value]) => (
          <div key={name} className="contents">
            <dt className="text-muted break-words">{name}</dt>
            <dd className="break-all">
              <bdi>{value}</bdi>
            </dd>
          </div>
        ))}
      </dl>
    </details>
  )
}
