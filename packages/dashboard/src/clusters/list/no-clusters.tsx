import { Button } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/states.tsx'

export function NoClusters({ onDiscover, isRunning }: { onDiscover: () => void; isRunning: boolean }) {
  return (
    <EmptyState title={isRunning ? 'The first discovery is under way' : 'No clusters yet'}>
      <p>
        A discovery reads the traces of a window, puts those together that were asked for and did the same, names each
        group and says which of them fail more than the rest. It runs by itself, in this service. It needs at least 20
        traces.
      </p>
      {!isRunning && (
        <Button variant="primary" onClick={onDiscover}>
          Discover clusters
        </Button>
      )}
    </EmptyState>
  )
}
