import type { Monitor } from '@spoor/contract/schemas/monitor'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { createLazyRoute } from '@tanstack/react-router'
import { Bell, BellOff, Pencil, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { changeMonitor, deleteMonitor, monitorQuery } from '../api/monitors.ts'
import { formatCount } from '../lib/format-number.ts'
import { useMay } from '../lib/hooks/use-session.ts'
import { searchBetween, toSeriesRange, toTimeRangeSearch } from '../lib/time-range.ts'
import { Button } from '../ui/button.tsx'
import { TableHead } from '../ui/column-heads.tsx'
import { ConfirmButton } from '../ui/confirm.tsx'
import { PageHeader } from '../ui/page.tsx'
import { Loading } from '../ui/states.tsx'
import { Time } from '../ui/time.tsx'
import { TimeRangePicker } from '../ui/time-range-picker.tsx'
import { useAction } from '../ui/use-action.ts'
import { BehindLink } from './behind-link.tsx'
import { draftOfMonitor } from './form/monitor-draft.ts'
import { GroupName } from './group-name.tsx'
import { MonitorFacts } from './monitor-facts.tsx'
import { MonitorFormModal } from './form/monitor-form-modal.tsx'
import { MonitorHistoryView } from './monitor-history-view.tsx'
import { WhyButton } from '../patterns/why-button.tsx'
import { forEachTitle, formatMonitorValue } from './monitor-words.ts'
import { latestFiring, runsBehind, whyOf } from './traces-behind.ts'
import { MonitorStateBadges, StateBadge } from './monitor-state.tsx'

export const route = createLazyRoute('/app/monitors/$monitorId')({ component: MonitorScreen })

function MonitorScreen() {
  const { monitorId } = route.useParams()
  const query = useQuery(monitorQuery(monitorId))
  const { data: monitor } = query
  if (monitor !== undefined) return <Screen key={monitorId} monitor={monitor} />
  return (
    <>
      <PageHeader title="Monitor" />
      <Loading query={query} />
    </>
  )
}

function Screen({ monitor }: { monitor: Monitor }) {
  const { id, name, enabled, state, state_since } = monitor
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const queryClient = useQueryClient()
  const mayManage = useMay('manage')
  const [isChanging, setIsChanging] = useState(false)
  const range = toSeriesRange(search)
  const { at, group } = latestFiring(monitor)
  const why = whyOf(monitor, runsBehind(monitor, at, group))
  const toggle = useAction(() => changeMonitor(id, { enabled: !enabled }), {
    onSuccess: (changed) => queryClient.setQueryData(monitorQuery(id).queryKey, changed),
    refresh: [['monitors']],
  })
  const remove = useAction(() => deleteMonitor(id), {
    onSuccess: async () => {
      await navigate({ to: '/app/monitors', search: {} })
      queryClient.removeQueries({ queryKey: ['monitors', id] })
    },
    refresh: [['monitors']],
    said: 'Monitor deleted',
  })
  return (
    <>
      <PageHeader
        title={name}
        meta={
          <>
            <MonitorStateBadges monitor={monitor} />
            <span className="whitespace-nowrap">
              changed <Time at={state_since} />
            </span>
            {state === 'fired' && <BehindLink {...{ monitor, at, group }} />}
          </>
        }
        actions={
          <>
            {state === 'fired' && why !== null && <WhyButton {...why} />}
            <TimeRangePicker value={range} onChange={(next) => void navigate({ search: toTimeRangeSearch(next) })} />
            {mayManage && (
              <>
                <Button icon={enabled ? BellOff : Bell} onClick={() => toggle.mutate()} disabled={toggle.isPending}>
                  {enabled ? 'Disable' : 'Enable'}
                </Button>
                <Button icon={Pencil} onClick={() => setIsChanging(true)}>
                  Edit
                </Button>
                <ConfirmButton
                  icon={Trash2}
                  variant="danger"
                  title="Delete this monitor?"
                  text={
                    <p className="break-words">
                      <bdi>{name}</bdi> and its history will be deleted permanently.
                      {state === 'fired' && ' It is firing: monitor.resolved is sent first.'}
                    </p>
                  }
                  confirm="Delete"
                  disabled={remove.isPending}
                  onConfirm={() => remove.mutate()}
                >
                  Delete
                </ConfirmButton>
              </>
            )}
          </>
        }
      />
      <MonitorFacts monitor={monitor} />
      <GroupTable monitor={monitor} />
      <MonitorHistoryView
        monitor={monitor}
        range={range}
        onZoom={(from, to) => void navigate({ search: searchBetween(from, to), resetScroll: false })}
      />
      {isChanging && (
        <MonitorFormModal
          monitor={monitor}
          begin={draftOfMonitor(monitor)}
          onClose={() => setIsChanging(false)}
          onDone={() => {}}
        />
      )}
    </>
  )
}

const CELL = 'px-4 py-1.5'

/** The groups of the last evaluation; null without groups. */
function GroupTable({ monitor }: { monitor: Monitor }) {
  const { for_each: forEach, groups = [], min_samples: least } = monitor
  if (forEach === null || groups.length === 0) return null
  return (
    <section aria-labelledby="groups" className="border-b">
      <h2 id="groups" className="px-4 py-2.5 font-semibold">
        Groups
      </h2>
      <table className="w-full border-t text-sm tabular-nums">
        <TableHead
          cell="px-4 py-1.5"
          of={[
            ['State', 'w-32'],
            forEachTitle(forEach),
            ['Last value', 'text-right'],
            ['Samples', 'text-right'],
            ['Since', 'text-right max-sm:hidden'],
          ]}
        />
        <tbody>
          {groups.map(({ group, state, state_since, last_value: value, last_samples: samples }) => (
            <tr key={group} className={`border-b ${(samples ?? 0) < least ? 'text-muted' : ''}`}>
              <td className={CELL}>
                <StateBadge state={state} />
              </td>
              <td className={`${CELL} max-w-60 truncate max-sm:max-w-32`} title={group}>
                <GroupName forEach={forEach} group={group} />
              </td>
              <td className={`${CELL} text-right`}>{value === null ? '–' : formatMonitorValue(monitor, value)}</td>
              <td className={`${CELL} text-right`}>{formatCount(samples ?? 0)}</td>
              <td className={`${CELL} text-right max-sm:hidden`}>
                <Time at={state_since} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
