import type { Dashboard } from '@spoor/contract/schemas/dashboard'
import { useState } from 'react'
import { changeDashboard, createDashboard, dashboardsQuery, deleteDashboard } from '../api/dashboards.ts'
import { useMay } from '../lib/hooks/use-session.ts'
import { Confirm } from '../ui/confirm.tsx'
import { MoreMenu } from '../ui/more-menu.tsx'
import { TextForm } from '../ui/text-form.tsx'
import { useAction } from '../ui/use-action.ts'
import { useMayChange } from './use-dashboard.ts'

interface DashboardMenuProps {
  readonly dashboard: Dashboard
  /** Undefined: the first. */
  onOpen(id: string | undefined): void
}

const REFRESH = [dashboardsQuery.queryKey]

export function DashboardMenu({ dashboard, onOpen }: DashboardMenuProps) {
  const { id, name } = dashboard
  const maySave = useMay('ingest', 'manage')
  const mayChange = useMayChange()(dashboard)
  const [dialog, setDialog] = useState<'new' | 'rename' | 'delete' | null>(null)
  const close = () => setDialog(null)
  const deleting = useAction(() => deleteDashboard(id), {
    onSuccess: () => onOpen(undefined),
    refresh: REFRESH,
    said: 'Dashboard deleted',
  })
  if (!maySave) return null
  const form = { codes: { view_conflict: '/name' }, refresh: REFRESH, submit: 'Save', needsText: true, onClose: close }
  return (
    <>
      <MoreMenu
        label="More about this dashboard"
        actions={[
          { label: 'New dashboard…', run: () => setDialog('new') },
          ...(mayChange ? [{ label: 'Rename…', run: () => setDialog('rename') }] : []),
          // The first one has nothing to delete until it is changed.
          ...(mayChange && dashboard.created_by !== null
            ? [{ label: 'Delete…', danger: true, run: () => setDialog('delete') }]
            : []),
        ]}
      />
      {dialog === 'new' && (
        <TextForm
          title="New dashboard"
          description="Pin views to it from the traces screen. Everybody in this project sees it."
          send={(text) => createDashboard({ name: text, range: '24h', tiles: [] })}
          said="Dashboard created"
          onDone={(created) => onOpen(created.id)}
          {...form}
        />
      )}
      {dialog === 'rename' && (
        <TextForm
          title="Rename dashboard"
          initial={name}
          send={(text) => changeDashboard(id, { name: text })}
          said="Dashboard renamed"
          {...form}
        />
      )}
      <Confirm
        title={`Delete the dashboard “${name}”`}
        text="It is deleted for everybody in this project. Saved views and traces stay."
        confirm="Delete"
        open={dialog === 'delete'}
        onCancel={close}
        onConfirm={() => deleting.mutate()}
      />
    </>
  )
}
