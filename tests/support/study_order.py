"""Orders of a study, worked out a second time: prints the vectors of tests/unit/model/test_study_order.c.

splitmix64 and its streams as src/stats/random.h describes them, Fisher and Yates, Williams 1949."""

MASK = (1 << 64) - 1
GAMMA = 0x9E3779B97F4A7C15


def mix(z):
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 & MASK
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB & MASK
    return z ^ (z >> 31)


def at(key, n):
    return mix((key + (n + 1) * GAMMA) & MASK)


def stream(seed, name, index):
    key = at(seed, 0)
    for byte in name.encode():
        key = (mix((key + byte) & MASK) + GAMMA) & MASK
    return at(mix(key), index)


def permutation(count, key):
    items, n = list(range(count)), 0
    for i in range(count, 1, -1):
        while True:
            drawn = at(key, n)
            n += 1
            if drawn >= (1 << 64) % i:
                break
        j = drawn % i
        items[i - 1], items[j] = items[j], items[i - 1]
    return items


def blocks(count, seed, number):
    return permutation(count, stream(seed, "order", number))


def square(count):
    first, low, high = [0], 1, count - 1
    while len(first) < count:
        first.append(low)
        low += 1
        if len(first) < count:
            first.append(high)
            high -= 1
    rows = [[(x + r) % count for x in first] for r in range(count)]
    return rows if count % 2 == 0 else rows + [row[::-1] for row in rows]


def williams(count, seed, number):
    rows = square(count)
    which, within = divmod(number - 1, len(rows))
    row = rows[permutation(len(rows), stream(seed, "rows", which))[within]]
    names = permutation(count, stream(seed, "names", which))
    return [names[x] for x in row]


if __name__ == "__main__":
    print("blocks", [blocks(4, 42, number) for number in (1, 2)])
    print("williams", [williams(4, 42, number) for number in (1, 2, 3, 4)])
    print("williams of 5, seed 9", [williams(5, 9, number) for number in (1, 6, 11)])
