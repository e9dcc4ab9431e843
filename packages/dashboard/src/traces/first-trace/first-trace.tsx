import { Tabs } from 'radix-ui'
import { CopyButton } from '../../ui/copy-button.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { firstTraceSnippets } from './first-trace-snippets.ts'

/** An empty project: how to send the first trace. */
export function FirstTrace() {
  const snippets = firstTraceSnippets(location.origin)
  return (
    <EmptyState title="No traces yet">
      <p>
        Send a first trace with an API key of this project, such as the one you signed in with. Store the key in{' '}
        <code className="font-mono text-sm">SPOOR_API_KEY</code>. The trace appears here automatically.
      </p>
      <Tabs.Root
        defaultValue="curl"
        className="bg-sunken text-ink w-[min(36rem,calc(100vw-2rem))] rounded-lg border text-left"
      >
        <div className="flex items-center border-b pr-1">
          <Tabs.List aria-label="Language" className="flex flex-1">
            {snippets.map(({ id, label }) => (
              <Tabs.Trigger
                key={id}
                value={id}
                className="text-muted data-[state=active]:text-ink data-[state=active]:border-accent -mb-px border-b-2 border-transparent px-3 py-2 text-sm font-medium"
              >
                {label}
              </Tabs.Trigger>
            ))}
          </Tabs.List>
        </div>
        {snippets.map(({ id, code }) => (
          <Tabs.Content key={id} value={id} className="relative">
            <CopyButton text={code} label="Copy" className="absolute top-1.5 right-1.5" />
            <pre className="overflow-x-auto p-3 pr-12 font-mono text-xs leading-relaxed" tabIndex={0}>
              {code}
            </pre>
          </Tabs.Content>
        ))}
      </Tabs.Root>
      <p className="text-sm">
        All fields of a trace:{' '}
        <a className="text-accent underline" href="/docs">
          API reference
        </a>
        .
      </p>
    </EmptyState>
  )
}
