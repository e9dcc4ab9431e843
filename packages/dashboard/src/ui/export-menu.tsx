import { Download } from 'lucide-react'
import { DropdownMenu } from 'radix-ui'
import { ofProject } from '../api/client/current-project.ts'
import { feedPath, type FeedRequest, toBounds } from '../api/client/feed.ts'
import { useActions } from '../lib/hooks/use-shortcuts.ts'
import { saveFrom } from '../lib/save-file.ts'
import { Button } from './button.tsx'
import { MENU_CONTENT, MENU_ITEM, MENU_LABEL } from './menu-classes.ts'

const FORMATS = [
  ['csv', 'CSV'],
  ['jsonl', 'JSON lines'],
  ['parquet', 'Parquet'],
] as const

/** Downloads all rows of a list, also those that are not loaded, as a file of the service. */
export function ExportMenu({ what, request }: { what: 'traces' | 'steps'; request: FeedRequest }) {
  const href = (format: string) =>
    ofProject(feedPath('/v1/export', request, { ...toBounds(request.range), what, format }))
  const title = `Export all ${what} that match`
  useActions(FORMATS.map(([format, label]) => ({ label: `${title} as ${label}`, run: () => saveFrom(href(format)) })))
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger asChild>
        <Button icon={Download} aria-label="Export" title={title} />
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content className={MENU_CONTENT} align="end" sideOffset={4}>
          <DropdownMenu.Label className={MENU_LABEL}>All {what} that match</DropdownMenu.Label>
          {FORMATS.map(([format, label]) => (
            <DropdownMenu.Item key={format} className={MENU_ITEM} asChild>
              <a href={href(format)} download>
                {label}
              </a>
            </DropdownMenu.Item>
          ))}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  )
}
