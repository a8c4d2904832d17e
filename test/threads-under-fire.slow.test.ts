import { it } from 'node:test'
import { writeUnderFire } from './thread-fire.ts'

const { MUSTER_TEST_THREADS = '20', MUSTER_TEST_THREAD_MESSAGES = '20' } = process.env

it('threads with many messages of five senders, while processes are killed', () =>
  writeUnderFire({
    threads: Number(MUSTER_TEST_THREADS),
    messages: Number(MUSTER_TEST_THREAD_MESSAGES),
    kills: 10,
    killEveryMs: 2_000,
  }))
