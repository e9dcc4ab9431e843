import { useMay } from '../../lib/hooks/use-session.ts'
import { Button } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/states.tsx'

export function NoClusters({ onDiscover, isRunning }: { onDiscover: () => void; isRunning: boolean }) {
  const mayManage = useMay('manage')
  return (
    <EmptyState title={isRunning ? 'The first discovery is running' : 'No clusters yet'}>
      <p>
        A discovery reads the traces of a time window, groups similar requests and actions, names each group and reports
        groups with a high error rate. It runs inside Spoor and needs at least 20 traces.
      </p>
      {!isRunning && mayManage && (
        <Button variant="primary" onClick={onDiscover}>
          Discover clusters
        </Button>
      )}
    </EmptyState>
  )
}
