// A process that wants a processor for itself, for as long as it is told (milliseconds).

const endMs = performance.now() + Number(process.argv[2]);
while (performance.now() < endMs);
