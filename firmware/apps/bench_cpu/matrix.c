// SPDX-License-Identifier: Apache-2.0
#include "loops.h"

#define N 16
#define SIDE 24

static int32_t a[N][N], b[N][N], c[N][N];
static int16_t image[SIDE][SIDE], filtered[SIDE][SIDE];
static const int16_t kernel[3][3] = {{1, -2, 3}, {-4, 50, -6}, {7, -8, 9}};

void matrix_prepare(void) {
    uint32_t x = 3;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            a[i][j] = (int16_t)random_next(&x);
            b[i][j] = (int16_t)random_next(&x);
            c[i][j] = 0;
        }
    for (int i = 0; i < SIDE; i++)
        for (int j = 0; j < SIDE; j++) {
            image[i][j] = (int16_t)(random_next(&x) & 0xFFu);
            filtered[i][j] = 0;
        }
}

void matrix_multiply(void) {
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            int32_t sum = 0;
            for (int k = 0; k < N; k++) sum += (int32_t)((uint32_t)a[i][k] * (uint32_t)b[k][j]) >> 4;
            c[i][j] = sum;
        }
}

uint32_t matrix_multiply_result(void) {
    uint32_t hash = 0;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) hash = hash_add(hash, (uint32_t)c[i][j]);
    return hash;
}

void matrix_filter(void) {
    for (int i = 1; i < SIDE - 1; i++)
        for (int j = 1; j < SIDE - 1; j++) {
            int32_t sum = 0;
            for (int y = 0; y < 3; y++)
                for (int x = 0; x < 3; x++) sum += kernel[y][x] * image[i + y - 1][j + x - 1];
            filtered[i][j] = (int16_t)(sum / 50);
        }
}

uint32_t matrix_filter_result(void) {
    uint32_t hash = 0;
    for (int i = 0; i < SIDE; i++)
        for (int j = 0; j < SIDE; j++) hash = hash_add(hash, (uint32_t)(int32_t)filtered[i][j]);
    return hash;
}
