import type { Monitor } from '@spoor/contract/schemas/monitor'
import { useQuery } from '@tanstack/react-query'
import { createLazyRoute } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { monitorsQuery } from '../api/monitors.ts'
import { changed } from '../lib/search.ts'
import { useMay } from '../lib/hooks/use-session.ts'
import { useShortcuts } from '../lib/hooks/use-shortcuts.ts'
import { Button } from '../ui/button.tsx'
import { Input } from '../ui/field.tsx'
import { PageHeader } from '../ui/page.tsx'
import { EmptyState, Loading } from '../ui/states.tsx'
import { newMonitorDraft } from './form/monitor-draft.ts'
import { MonitorFormModal } from './form/monitor-form-modal.tsx'
import { STATES } from './monitor-state.tsx'
import { MonitorTable } from './monitor-table.tsx'
import { MONITOR_SHOWN, shownState } from './search.ts'

export const route = createLazyRoute('/app/monitors')({ component: MonitorsScreen })

function MonitorsScreen() {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const query = useQuery(monitorsQuery)
  const { data: monitors } = query
  const wanted = (search.q ?? '').toLowerCase()
  const named = monitors?.filter(({ name, source }) =>
    `${name} ${source.metric ?? source.measure ?? ''}`.toLowerCase().includes(wanted),
  )
  const found = named?.filter((monitor) => search.state === undefined || shownState(monitor) === search.state)
  const open = () => void navigate({ search: (before) => ({ ...before, create: true }) })
  const close = () =>
    void navigate({
      search: changed(search, {
        create: undefined,
        metric: undefined,
        measure: undefined,
        aggregation: undefined,
        for_each: undefined,
        steps: undefined,
        filters: undefined,
      }),
      replace: true,
    })
  const mayManage = useMay('manage')
  useShortcuts('Monitors', mayManage ? { n: { does: 'New monitor', run: () => open() } } : {})
  return (
    <>
      <PageHeader
        title="Monitors"
        actions={
          mayManage && (
            <Button icon={Plus} variant="primary" onClick={open}>
              New monitor
            </Button>
          )
        }
      />
      {named !== undefined && monitors?.length !== 0 && <MonitorToolbar named={named} />}
      <Loading query={query} />
      {monitors?.length === 0 && (
        <EmptyState title="No monitors yet">
          <p>
            A monitor evaluates a metric or the traces every few seconds. It fires when the value crosses a threshold,
            and notifies webhooks.
          </p>
          {mayManage && (
            <Button variant="primary" onClick={open}>
              Create monitor
            </Button>
          )}
        </EmptyState>
      )}
      {found !== undefined && monitors?.length !== 0 && found.length === 0 && (
        <p className="text-muted p-4">No monitor matches.</p>
      )}
      {found !== undefined && found.length > 0 && <MonitorTable monitors={found} />}
      {search.create === true && (
        <MonitorFormModal
          begin={newMonitorDraft(search)}
          onClose={close}
          onDone={({ id }) => void navigate({ to: '/app/monitors/$monitorId', params: { monitorId: id } })}
        />
      )}
    </>
  )
}

/** Chooses the monitors by state and name. `named`: those of the name, in any state. */
function MonitorToolbar({ named }: { named: readonly Monitor[] }) {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  return (
    <div className="bg-sunken flex flex-wrap items-center gap-2 border-b px-4 py-2">
      <div role="group" aria-label="State" className="flex flex-wrap gap-1">
        {[undefined, ...MONITOR_SHOWN].map((state) => (
          <Button
            key={state ?? 'all'}
            variant="ghost"
            aria-pressed={search.state === state}
            className="aria-pressed:bg-selected aria-pressed:text-ink"
            onClick={() => void navigate({ search: changed(search, { state }), replace: true })}
          >
            {state === undefined ? 'All' : STATES[state].label}
            <span className="text-muted tabular-nums">
              {named.filter((monitor) => state === undefined || shownState(monitor) === state).length}
            </span>
          </Button>
        ))}
      </div>
      <Input
        type="search"
        aria-label="Find a monitor"
        placeholder="Find a monitor"
        className="ml-auto max-w-56"
        value={search.q ?? ''}
        onText={(text) => void navigate({ search: changed(search, { q: text || undefined }), replace: true })}
      />
    </div>
  )
}
