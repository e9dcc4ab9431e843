import {
  Activity,
  Bell,
  ChartLine,
  LayoutDashboard,
  MessagesSquare,
  Settings,
  Shapes,
  Tags,
  Users,
  Webhook,
} from 'lucide-react'

/** The screens. `key` after `g` opens one. */
export const SCREENS = [
  { to: '/app/home', label: 'Overview', key: 'h', Icon: LayoutDashboard },
  { to: '/app/traces', label: 'Traces', key: 't', Icon: Activity },
  { to: '/app/sessions', label: 'Sessions', key: 'e', Icon: MessagesSquare },
  { to: '/app/users', label: 'Users', key: 'u', Icon: Users },
  { to: '/app/metrics', label: 'Metrics', key: 'm', Icon: ChartLine },
  { to: '/app/monitors', label: 'Monitors', key: 'o', Icon: Bell },
  { to: '/app/clusters', label: 'Clusters', key: 'c', Icon: Shapes },
  { to: '/app/versions', label: 'Versions', key: 'v', Icon: Tags },
  { to: '/app/webhooks', label: 'Webhooks', key: 'w', Icon: Webhook },
  { to: '/app/settings', label: 'Settings', key: 's', Icon: Settings },
] as const
