// They share one browser and one service.
import './shared/deletions.ts'
import './shared/home.ts'
import './shared/masking.ts'
import './shared/metrics.ts'
import './shared/senders.ts'
import './shared/versions.ts'
