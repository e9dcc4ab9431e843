import { Copy } from 'lucide-react'
import { DropdownMenu } from 'radix-ui'
import { useState } from 'react'
import { useActions, useShortcuts } from '../../lib/hooks/use-shortcuts.ts'
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
  useShortcuts('Traces', {
    y: { does: 'Copy as JSON, Markdown or a test case', opensMenu: true, run: () => setOpen(true) },
  })
  const turns = async () => (await source.turns(Number.MAX_SAFE_INTEGER, null)).turns
  const testCase = async () => JSON.stringify(toTestCase(head, await turns(), stepId ?? null), null, 2)
  const copies = (label: string, text: () => string | Promise<string>, said: string) => ({
    label,
    run: () => void copy((async () => text())(), said),
  })
  const upTo = stepId === undefined ? 'the last answer' : 'this step'
  const choices = [
    copies('JSON', () => source.text(), 'Copied the trace as JSON'),
    copies('Markdown', async () => toMarkdown(head, await turns()), 'Copied the conversation as Markdown'),
    copies(`Test case: messages up to ${upTo}`, testCase, 'Copied the test case'),
    copies('curl command', () => toCurl(location.origin, head.id), 'Copied a curl command'),
    copies('Id', () => head.id, 'Copied the id'),
  ]
  useActions(choices.map(({ label, run }) => ({ label: `Copy as: ${label}`, run })))
  return (
    <DropdownMenu.Root modal={false} open={open} onOpenChange={setOpen}>
      <DropdownMenu.Trigger asChild>
        <Button icon={Copy} aria-label="Copy as" title="Copy as … (y)" />
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content className={MENU_CONTENT} align="end" sideOffset={4}>
          {choices.map(({ label, run }) => (
            <DropdownMenu.Item key={label} className={MENU_ITEM} onSelect={run}>
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
