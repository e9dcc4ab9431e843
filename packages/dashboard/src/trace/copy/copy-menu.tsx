import { Copy } from 'lucide-react'
import { DropdownMenu } from 'radix-ui'
import { useState } from 'react'
import { useShortcuts } from '../../lib/hooks/use-shortcuts.ts'
import { Button } from '../../ui/button.tsx'
import { useCopy } from '../../ui/copy-button.tsx'
import { MENU_CONTENT, MENU_ITEM } from '../../ui/menu-classes.ts'
import type { TraceHead } from '../reading/trace-head.ts'
import type { TraceSource } from '../reading/trace-source.ts'
import { toMarkdown, toTestCase } from './copy-as.ts'

interface CopyMenuProps {
  readonly head: TraceHead
  readonly source: TraceSource
  /** Up to it goes the test case. */
  readonly stepId: string | undefined
}

/** Copies a run in the form in which it is needed elsewhere. */
export function CopyMenu({ head, source, stepId }: CopyMenuProps) {
  const copy = useCopy()
  const [open, setOpen] = useState(false)
  useShortcuts('Traces', { y: { does: 'Copy as JSON, Markdown or a test case', run: () => setOpen(true) } })
  const turns = async () => (await source.turns(Number.MAX_SAFE_INTEGER, null)).turns
  const testCase = async () => JSON.stringify(toTestCase(head, await turns(), stepId ?? null), null, 2)
  const choices = [
    { label: 'JSON', text: () => source.text(), said: 'Copied the trace as JSON' },
    {
      label: 'Markdown',
      text: async () => toMarkdown(head, await turns()),
      said: 'Copied the conversation as Markdown',
    },
    {
      label: stepId === undefined ? 'Test case: messages up to the last answer' : 'Test case: messages up to this step',
      text: testCase,
      said: 'Copied the test case',
    },
    { label: 'curl command', text: () => toCurl(location.origin, head.id), said: 'Copied a curl command' },
    { label: 'Id', text: () => head.id, said: 'Copied the id' },
  ]
  return (
    <DropdownMenu.Root modal={false} open={open} onOpenChange={setOpen}>
      <DropdownMenu.Trigger asChild>
        <Button icon={Copy} aria-label="Copy as" title="Copy as … (y)" />
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content className={MENU_CONTENT} align="end" sideOffset={4}>
          {choices.map(({ label, text, said }) => (
            <DropdownMenu.Item
              key={label}
              className={MENU_ITEM}
              onSelect={() => void copy((async () => text())(), said)}
            >
              {label}
            </DropdownMenu.Item>
          ))}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  )
}

/** A curl command that reads the trace. It takes the key from the shell's environment. */
function toCurl(origin: string, traceId: string): string {
  return `curl -sS '${origin}/v1/traces/${traceId}' -H "x-api-key: $SPOOR_API_KEY"`
}
