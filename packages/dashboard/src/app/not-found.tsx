import { Link } from '@tanstack/react-router'
import { EmptyState } from '../ui/states.tsx'

export function NotFound() {
  return (
    <EmptyState title="There is no such page">
      <Link to="/app/traces" className="text-accent underline">
        To the traces
      </Link>
    </EmptyState>
  )
}
