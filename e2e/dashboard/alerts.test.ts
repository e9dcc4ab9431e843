// They share one browser and one service.
import './shared/findings.ts'
import './shared/monitors.ts'
import './shared/webhooks.ts'
