import { medianRatio, parseFigures } from "../../bench/pair-figures";

describe("the figures of a benchmark", () => {
  test("are read from its tables, by row and column", () => {
    const text = [
      "some output",
      "| work | per second | p50 / p99 ms | CPU µs each | RSS MB | aim |",
      "| --- | ---: | ---: | ---: | ---: | --- |",
      "| single node: GET /session | 16,358 | 1.49 / 5.07 | 53.5 | 208 | met: ≥ 15,000 per core |",
      "",
      "| signals | server | p50 / p99 µs | signals per second | CPU µs each | aim |",
      "| --- | --- | ---: | ---: | ---: | --- |",
      "| XMPP over TCP, TLS, there and back | Signalbox | 517 / 2,448 | 5,825 | 1,171 |  |",
      "",
      "| push | deliveries per second | CPU µs each | most RSS MB of the gateway | aim |",
      "| --- | ---: | --- | ---: | ---: |",
      "| gcm, 20,000 devices | 8,511 | gateway 79 (49 %), database 29 (18 %) | 369 | met: ≥ 3,000 |",
      "",
      "| start | ready in ms | idle RSS MB | aim |",
      "| --- | ---: | ---: | --- |",
      "| embedded database, new folder | 6,722 | 457 |  |",
    ].join("\n");
    expect(parseFigures(text).map(({ row, figure, value }) => [row, figure, value])).toEqual([
      ["single node: GET /session", "CPU µs each", 53.5],
      ["single node: GET /session", "RSS MB", 208],
      ["XMPP over TCP, TLS, there and back, Signalbox", "CPU µs each", 1171],
      ["gcm, 20,000 devices", "CPU µs each", 79],
      ["gcm, 20,000 devices", "most RSS MB of the gateway", 369],
      ["embedded database, new folder", "ready in ms", 6722],
      ["embedded database, new folder", "idle RSS MB", 457],
    ]);
  });
});

describe("the median of ratios", () => {
  test.each([
    [[3], { median: 3, low: 3, high: 3 }],
    [[1, 4, 2, 3], { median: 2.5, low: 1, high: 4 }],
    // All seven contain it with 98 %; without the outermost it would be 87 %.
    [[7, 1, 6, 2, 5, 3, 4], { median: 4, low: 1, high: 7 }],
    // The second and the eighth of nine: 96 %.
    [[9, 1, 8, 2, 7, 3, 6, 4, 5], { median: 5, low: 2, high: 8 }],
  ])("of %j", (values, expected) => {
    expect(medianRatio(values)).toEqual(expected);
  });
});
