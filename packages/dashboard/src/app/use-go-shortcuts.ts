import { useNavigate } from '@tanstack/react-router'
import { useShortcuts } from '../lib/hooks/use-shortcuts.ts'

/** `g` and a letter open a screen. */
export function useGoShortcuts(): void {
  const navigate = useNavigate()
  useShortcuts('Global', {
    'g t': { does: 'Traces', run: () => void navigate({ to: '/app/traces' }) },
    'g e': { does: 'Sessions', run: () => void navigate({ to: '/app/sessions' }) },
    'g u': { does: 'Users', run: () => void navigate({ to: '/app/users' }) },
    'g m': { does: 'Metrics', run: () => void navigate({ to: '/app/metrics' }) },
    'g o': { does: 'Monitors', run: () => void navigate({ to: '/app/monitors' }) },
    'g c': { does: 'Clusters', run: () => void navigate({ to: '/app/clusters' }) },
    'g w': { does: 'Webhooks', run: () => void navigate({ to: '/app/webhooks' }) },
    'g s': { does: 'Settings', run: () => void navigate({ to: '/app/settings' }) },
  })
}
