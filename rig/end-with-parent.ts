/** Preloaded into Muster's processes: none outlives the one that started it, however that ended. */
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'))
process.channel?.unref()
