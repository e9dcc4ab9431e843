import { useNavigate } from '@tanstack/react-router'
import { useShortcuts } from '../lib/hooks/use-shortcuts.ts'
import { SCREENS } from './screens.ts'

/** `g` and a letter open a screen. */
export function useGoShortcuts(): void {
  const navigate = useNavigate()
  useShortcuts(
    'Global',
    Object.fromEntries(
      SCREENS.map(({ to, label, key }) => [`g ${key}`, { does: label, run: () => void navigate({ to }) }]),
    ),
  )
}
