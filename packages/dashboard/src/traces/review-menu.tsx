import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { ListChecks } from 'lucide-react'
import { DropdownMenu } from 'radix-ui'
import { useState } from 'react'
import { asApiError } from '../api/client/api-error.ts'
import type { FeedRequest } from '../api/client/feed.ts'
import { findUnscored, forgetUnscored } from '../api/unscored.ts'
import { metricsQuery } from '../api/metrics.ts'
import { useShortcuts } from '../lib/hooks/use-shortcuts.ts'
import { startScoring } from '../lib/scoring-session.ts'
import { Button } from '../ui/button.tsx'
import { MENU_CONTENT, MENU_ITEM, MENU_LABEL } from '../ui/menu-classes.ts'
import { useAction } from '../ui/use-action.ts'

/** Opens the first trace of the list without an event of the chosen metric, with the scoring bar. */
export function ReviewMenu({ request }: { request: FeedRequest }) {
  const navigate = useNavigate()
  const queryClient = useQueryClient()
  const find = (metric: string) => {
    forgetUnscored(queryClient)
    return findUnscored(queryClient, request, metric)
  }
  const starting = useAction(find, {
    said: (traceId, metric) => (traceId === null ? `Every trace of this list has a score of ${metric}.` : undefined),
    onDone: (traceId, metric) => {
      if (traceId === null) return
      startScoring(metric)
      void navigate({ to: '/app/traces/$traceId', params: { traceId } })
    },
  })
  const [open, setOpen] = useState(false)
  useShortcuts('Trace list', { r: { does: 'Review the list', run: () => setOpen(true) } })
  return (
    <DropdownMenu.Root modal={false} open={open} onOpenChange={setOpen}>
      <DropdownMenu.Trigger asChild>
        <Button
          icon={ListChecks}
          disabled={starting.isPending}
          title="Score the traces of this list one after the other"
        >
          Review
        </Button>
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content className={`${MENU_CONTENT} max-w-80`} align="end" sideOffset={4}>
          <Metrics onChoose={(metric) => starting.mutate(metric)} />
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  )
}

/** Loaded when the menu opens. */
function Metrics({ onChoose }: { onChoose: (metric: string) => void }) {
  const { data: metrics, error } = useQuery(metricsQuery)
  if (metrics === undefined) {
    return (
      <p className={MENU_LABEL} role={error === null ? 'status' : 'alert'}>
        {error === null ? 'Loading…' : asApiError(error).message}
      </p>
    )
  }
  if (metrics.length === 0) return <p className={MENU_LABEL}>No metrics yet. Create one under Metrics.</p>
  return (
    <>
      <DropdownMenu.Label className={MENU_LABEL}>Score what has no event of</DropdownMenu.Label>
      {metrics.map(({ id, name }) => (
        <DropdownMenu.Item key={id} className={MENU_ITEM} onSelect={() => onChoose(name)}>
          <bdi className="truncate" title={name}>
            {name}
          </bdi>
        </DropdownMenu.Item>
      ))}
    </>
  )
}
