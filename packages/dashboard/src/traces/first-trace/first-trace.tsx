import { Tabs } from 'radix-ui'
import { createKey, keysQuery } from '../../api/client/keys.ts'
import { useMay, useSession } from '../../lib/hooks/use-session.ts'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { ErrorText } from '../../ui/error-text.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { useSilentAction } from '../../ui/use-action.ts'
import { environmentOf, firstTraceSnippets } from './first-trace-snippets.ts'

/** An empty project: the ways to a first trace. */
export function FirstTrace() {
  const snippets = firstTraceSnippets(location.origin)
  const { project_id } = useSession()
  const mayCreate = useMay('manage')
  const creating = useSilentAction(() => createKey(project_id, { name: 'first trace', scopes: ['ingest'] }), {
    refresh: [keysQuery(project_id).queryKey],
  })
  const environment = environmentOf(location.origin, creating.data?.secret ?? 'YOUR_API_KEY')
  return (
    <EmptyState title="No traces yet">
      <p role="status" className="flex items-center justify-center gap-2">
        <span aria-hidden className="bg-accent size-2 animate-pulse rounded-full motion-reduce:animate-none" />
        Waiting for the first trace. It appears here automatically.
      </p>
      <Tabs.Root
        defaultValue={snippets[0]?.id ?? ''}
        className="bg-sunken text-ink w-[min(36rem,calc(100vw-2rem))] rounded-lg border text-left"
      >
        <Tabs.List aria-label="Ways to send traces" className="flex overflow-x-auto border-b">
          {snippets.map(({ id, label }) => (
            <Tabs.Trigger
              key={id}
              value={id}
              className="text-muted data-[state=active]:text-ink data-[state=active]:border-accent -mb-px shrink-0 border-b-2 border-transparent px-3 py-2 text-sm font-medium"
            >
              {label}
            </Tabs.Trigger>
          ))}
        </Tabs.List>
        {snippets.map(({ id, intro, code, guide }) => (
          <Tabs.Content key={id} value={id} className="min-h-72 space-y-2 p-3">
            <p className="text-muted text-sm">{intro}</p>
            <Code text={environment} label="Copy the environment" />
            <Code text={code} label="Copy" />
            <p className="text-muted text-sm">
              More in <code className="font-mono">docs/guide/{guide}</code>
              {id === 'curl' && (
                <>
                  {' '}
                  and the{' '}
                  <a className="text-accent underline" href="/docs">
                    API reference
                  </a>
                </>
              )}
              .
            </p>
          </Tabs.Content>
        ))}
      </Tabs.Root>
      {creating.data === undefined ? (
        <p className="flex flex-wrap items-center justify-center gap-2 text-sm">
          Use an API key of this project, such as the one you signed in with
          {mayCreate && <Button onClick={() => creating.mutate()}>Create a key here</Button>}
        </p>
      ) : (
        <p className="text-sm">The commands above have a new key, which is shown only once. It can only send.</p>
      )}
      <ErrorText error={creating.error} />
    </EmptyState>
  )
}

function Code({ text, label }: { text: string; label: string }) {
  return (
    <div className="bg-raised relative rounded-md border">
      <CopyButton text={text} label={label} className="bg-raised absolute top-1 right-1" />
      <pre className="overflow-x-auto p-2.5 pr-12 font-mono text-xs leading-relaxed" tabIndex={0}>
        {text}
      </pre>
    </div>
  )
}
