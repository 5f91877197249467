C     Rectangular Bricard mechanism (IFToMM library of benchmark
C     problems, A04): five bars and six revolute joints in space, where
C     a count of joints says that it cannot move.  One constraint is
C     redundant: IOPT(11)=3.
C
C     Natural coordinates: the joints P1..P4 and the unit vectors U1..U4
C     of their axes; P0, P5, U0, U5 are fixed.  A bar and its axes, all
C     of length 1, form an orthonormal frame, so that all constraints
C     are products, and the mass matrix is constant.
C     Reference: ours, from a model in relative angles, by extrapolation
C     in quadruple precision; the energy is -29.43 throughout.
C
C     X = [ lambda1-24 | v | p ], p = (P1..P4,U1..U4)
C
      PROGRAM BRICAR
      IMPLICIT NONE
      INTEGER          ND,NFREE,NVEC,NG,NQ
      PARAMETER        (ND=3,NFREE=8,NVEC=13,NG=24,NQ=24)
      INTEGER          N,M,L
      PARAMETER        (N=NG+2*NQ,M=3*NG+2*NQ)
      DOUBLE PRECISION PREF(12,3),AREF(2,3),TREF(3),V1(3),ENERGY,
     #                 P0(NQ)
      INTEGER          IOPT(40),IWORK(20),IPAR(4),IERR,IDID,IJAC,
     #                 NGOOD,NBAD,I,K
      DOUBLE PRECISION X(N),T,TEND,H,TOL,ROPT(40),RWORK(5*N),RPAR(8),
     #                 RDA(M),DEVMAX,SIZMAX
      EXTERNAL         IVCOND,EOM,MAS,JAC,SOLOUT,DEVMAX,SIZMAX
C
      DATA TREF /1.D0,2.D0,10.D0/
      DATA PREF /
     #  5.105014611872197359D-01, 0.D0,-8.598768854468141717D-01,
     #  2.744813192646230412D-01,-8.867079387346720183D-01,
     # -4.623300026873760381D-01,
     #  5.105014611872197359D-01,-1.649167599394806308D+00,
     #  1.401231145531858283D-01,
     #  0.D0,-8.867079387346720183D-01, 5.376699973126239619D-01,
     # -9.693403447776516027D-01, 0.D0,-2.457219892202232665D-01,
     # -7.781353730332908887D-01,-9.803526834432565551D-01,
     # -1.972526706171706174D-01,
     # -9.693403447776516027D-01,-1.221246894956317395D+00,
     #  7.542780107797767335D-01,
     #  0.D0,-9.803526834432565551D-01, 8.027473293828293826D-01,
     #  9.999999638063494092D-01, 0.D0,-2.690488800786923012D-04,
     #  9.997309873038353463D-01,-9.999999638258172748D-01,
     # -2.689765122493041531D-04,
     #  9.999999638063494085D-01,-1.000269012696163344D+00,
     #  9.997309511199213077D-01,
     #  0.D0,-9.999999638258172741D-01, 9.997310234877506958D-01/
C     First angle and its rate; P1 = (cos,0,-sin)
      DATA AREF / 1.03502845951806218D+00, 2.03641538096996965D+00,
     #            2.89332820598129336D+00, 1.02443102773336458D+00,
     #            2.69048883324646067D-04, 3.24620117409979238D-02/
      DATA P0 /1.D0,0.D0,0.D0, 1.D0,-1.D0,0.D0, 1.D0,-1.D0,1.D0,
     #         0.D0,-1.D0,1.D0, 0.D0,0.D0,1.D0, 1.D0,0.D0,0.D0,
     #         0.D0,1.D0,0.D0, 0.D0,0.D0,1.D0/
      NGOOD=0
      NBAD=0
      CALL TOPO
      RPAR(1)=-29.43D0
      IPAR(1)=0
      DO 50 K=1,4
        DO 10 I=1,40
          IOPT(I)=0
          ROPT(I)=0.D0
   10   CONTINUE
        IOPT(11)=3
        IOPT(15)=3
C       The axes are light against the bars, and Newton's method with a
C       fixed matrix converges slowly: one update is worth its price.
        IF (K.LT.4) IOPT(10)=1
        IJAC=1
        L=K
        TOL=1.D-10
        IF (K.EQ.2) TOL=1.D-8
        IF (K.EQ.3) TOL=1.D-7
        IF (K.EQ.4) THEN
          L=1
          IJAC=0
          TOL=1.D-6
        END IF
        TEND=TREF(L)
C       At rest; the library finds the multipliers.
        CALL CLEAR(N,X)
        DO 20 I=1,NQ
          X(NG+NQ+I)=P0(I)
   20   CONTINUE
        IF (K.EQ.1) THEN
          DO 30 I=1,NG+NQ
            X(I)=SIN(3.D0*I)
   30     CONTINUE
          CALL JACCHK(NQ,NQ,0,0,0,NG,0,0,0.D0,X,IOPT,ROPT,
     #      EOM,JAC,RPAR,IPAR,NGOOD,NBAD)
          CALL CLEAR(NG+NQ,X)
        END IF
        T=0.D0
        H=1.D-3
        IERR=0
        IDID=0
        CALL GEOMS(
     #    NQ,NQ,0,0,0,NG,0,0,M,N,2,
     #    X,T,TEND,H,TOL,TOL,0,IOPT,ROPT,
     #    IVCOND,EOM,MAS,JAC,IJAC,
     #    SOLOUT,0,
     #    20,IWORK,5*N,RWORK,
     #    RPAR,IPAR,IERR,
     #    IDID)
        CALL SHOWRN('Bricard',IOPT,IJAC,TOL,IDID,T,IWORK,NGOOD,NBAD)
        WRITE(6,110) (X(NG+I),I=1,12)
        WRITE(6,120) (X(NG+NQ+I),I=1,12)
        CALL VERIFY('position',DEVMAX(12,X(NG+NQ+1),PREF(1,L)),
     #              1.D2*TOL*TEND,NGOOD,NBAD)
        V1(1)=-SIN(AREF(1,L))*AREF(2,L)
        V1(2)=0.D0
        V1(3)=-COS(AREF(1,L))*AREF(2,L)
        CALL VERIFY('velocity of P1',DEVMAX(3,X(NG+1),V1),
     #              1.D2*TOL*TEND,NGOOD,NBAD)
        CALL VERIFY('energy',ABS(ENERGY(X(NG+1),X(NG+NQ+1))+29.43D0),
     #              1.D3*TOL,NGOOD,NBAD)
        CALL EOM(M,N,T,X,RDA,IOPT,ROPT,IPAR,RPAR,IERR)
        CALL VERIFY('residuals of gI, g',SIZMAX(2*NG,RDA(NG+1)),
     #              TOL,NGOOD,NBAD)
   50 CONTINUE
      CALL FINISH(NGOOD,NBAD)
  110 FORMAT('   v1-v4 ',3F15.10)
  120 FORMAT('   P1-P4 ',3F15.10)
      END
C
C     Which vectors make up which constraint: 1-4 P1..P4, 5-8 U1..U4,
C     9 P0, 10 P5, 11 U0, 12 U5, 13 zero
      SUBROUTINE TOPO
      IMPLICIT NONE
      INTEGER          ND,NFREE,NVEC,NG,NQ
      PARAMETER        (ND=3,NFREE=8,NVEC=13,NG=24,NQ=24)
      INTEGER          IC(4,NG),I,IA,IB,IU,IV,K,L
      COMMON /TOPOL/   IC
      L=0
      DO 20 I=1,5
        IA=I-1
        IF (I.EQ.1) IA=9
        IB=I
        IF (I.EQ.5) IB=10
        IU=I+3
        IF (I.EQ.1) IU=11
        IV=I+4
        IF (I.EQ.5) IV=12
        DO 10 K=1,3
          IC(1,L+K)=IB
          IC(2,L+K)=IA
          IC(4,L+K)=13
   10   CONTINUE
C       length; right angles with both axes and between them
        IC(3,L+1)=IB
        IC(4,L+1)=IA
        IC(3,L+2)=IU
        IC(3,L+3)=IV
        IC(1,L+4)=IU
        IC(2,L+4)=13
        IC(3,L+4)=IV
        IC(4,L+4)=13
        L=L+4
   20 CONTINUE
      DO 30 I=1,4
        IC(1,L+I)=4+I
        IC(2,L+I)=13
        IC(3,L+I)=4+I
        IC(4,L+I)=13
   30 CONTINUE
      RETURN
      END
C
C     All vectors, from the unknowns Q and the fixed ones (which do not
C     move: zero for velocities and accelerations)
      SUBROUTINE VECS(Q,LPOS,Y)
      IMPLICIT NONE
      INTEGER          ND,NFREE,NVEC,NG,NQ
      PARAMETER        (ND=3,NFREE=8,NVEC=13,NG=24,NQ=24)
      INTEGER          I,K
      DOUBLE PRECISION Q(NQ),Y(ND,NVEC)
      LOGICAL          LPOS
      CALL CLEAR(ND*NVEC,Y)
      DO 20 I=1,NFREE
        DO 10 K=1,ND
          Y(K,I)=Q(ND*(I-1)+K)
   10   CONTINUE
   20 CONTINUE
      IF (LPOS) THEN
        Y(3,10)=1.D0
        Y(2,11)=1.D0
        Y(1,12)=1.D0
      END IF
      RETURN
      END
C
      SUBROUTINE VALUE(I,Y,G)
      IMPLICIT NONE
      INTEGER          ND,NFREE,NVEC,NG,NQ
      PARAMETER        (ND=3,NFREE=8,NVEC=13,NG=24,NQ=24)
      INTEGER          I,K,IC(4,NG)
      DOUBLE PRECISION Y(ND,NVEC),G
      COMMON /TOPOL/   IC
      G=0.D0
      IF (IC(1,I).EQ.IC(3,I)) G=-1.D0
      DO 10 K=1,ND
        G=G+(Y(K,IC(1,I))-Y(K,IC(2,I)))*(Y(K,IC(3,I))-Y(K,IC(4,I)))
   10 CONTINUE
      RETURN
      END
C
C     Half a bar on each side of every joint
      SUBROUTINE WEIGHT(F)
      IMPLICIT NONE
      INTEGER          ND,NFREE,NVEC,NG,NQ
      PARAMETER        (ND=3,NFREE=8,NVEC=13,NG=24,NQ=24)
      INTEGER          I
      DOUBLE PRECISION F(NQ)
      CALL CLEAR(NQ,F)
      DO 10 I=1,4
        F(3*I-1)=-9.81D0
   10 CONTINUE
      RETURN
      END
C
C     Bars of mass and length 1 with a square section of 0.1: the points
C     carry 1/3 and 1/6 as slender bars do, the axes the second moment
C     0.01/12 of each bar they belong to.
      SUBROUTINE MASS(LDA,A)
      IMPLICIT NONE
      INTEGER          ND,NFREE,NVEC,NG,NQ
      PARAMETER        (ND=3,NFREE=8,NVEC=13,NG=24,NQ=24)
      INTEGER          LDA,J
      DOUBLE PRECISION A(LDA,NQ)
      CALL CLEAR(NQ*NQ,A)
      DO 10 J=1,12
        A(J,J)=2.D0/3.D0
        A(12+J,12+J)=0.02D0/12.D0
        IF (J.GT.3) A(J,J-3)=1.D0/6.D0
        IF (J.GT.3) A(J-3,J)=1.D0/6.D0
   10 CONTINUE
      RETURN
      END
C
C     Half the last bar rests on P5 at height 0; P0 likewise.
      DOUBLE PRECISION FUNCTION ENERGY(V,P)
      IMPLICIT NONE
      INTEGER          ND,NFREE,NVEC,NG,NQ
      PARAMETER        (ND=3,NFREE=8,NVEC=13,NG=24,NQ=24)
      INTEGER          J
      DOUBLE PRECISION V(NQ),P(NQ),F(NQ),A(NQ,NQ),DOT
      CALL WEIGHT(F)
      CALL MASS(NQ,A)
      ENERGY=-DOT(NQ,F,P)
      DO 10 J=1,NQ
        ENERGY=ENERGY+V(J)*DOT(NQ,A(1,J),V)/2.D0
   10 CONTINUE
      RETURN
      END
C
C     Row I of the constraint matrix at the vectors Y: constraint I is
C     the product of two differences of vectors, Y(IC(1,I))-Y(IC(2,I))
C     and Y(IC(3,I))-Y(IC(4,I)).  With velocities instead of
C     positions it is the derivative of that row in time.
      SUBROUTINE ROW(I,Y,R)
      IMPLICIT NONE
      INTEGER          ND,NFREE,NVEC,NG,NQ
      PARAMETER        (ND=3,NFREE=8,NVEC=13,NG=24,NQ=24)
      INTEGER          I,J,K,L
      DOUBLE PRECISION Y(ND,NVEC),R(NQ),U(2),SG(4)
      INTEGER          IC(4,NG)
      COMMON /TOPOL/   IC
      SAVE             SG
      DATA SG /1.D0,-1.D0,1.D0,-1.D0/
      CALL CLEAR(NQ,R)
      DO 20 K=1,ND
        U(1)=Y(K,IC(1,I))-Y(K,IC(2,I))
        U(2)=Y(K,IC(3,I))-Y(K,IC(4,I))
        DO 10 J=1,4
          L=IC(J,I)
          IF (L.LE.NFREE) R(ND*(L-1)+K)=R(ND*(L-1)+K)
     #      +SG(J)*U(2-(J-1)/2)
   10   CONTINUE
   20 CONTINUE
      RETURN
      END
C
      DOUBLE PRECISION FUNCTION DOT(N,A,B)
      IMPLICIT NONE
      INTEGER          N,I
      DOUBLE PRECISION A(N),B(N)
      DOT=0.D0
      DO 10 I=1,N
        DOT=DOT+A(I)*B(I)
   10 CONTINUE
      RETURN
      END
C
      SUBROUTINE EOM(M,N,T,X,RDA,IOPT,ROPT,IPAR,RPAR,IERR)
      IMPLICIT NONE
      INTEGER          M,N,IOPT(*),IPAR(*),IERR
      DOUBLE PRECISION T,X(N),RDA(M),ROPT(*),RPAR(*)
      INTEGER          ND,NFREE,NVEC,NG,NQ
      PARAMETER        (ND=3,NFREE=8,NVEC=13,NG=24,NQ=24)
      INTEGER          I,J,L,LE
      DOUBLE PRECISION P(ND,NVEC),V(ND,NVEC),R(NQ),RV(NQ),F(NQ),
     #                 A(NQ,NQ),DOT
      CALL VECS(X(NG+NQ+1),.TRUE.,P)
      CALL VECS(X(NG+1),.FALSE.,V)
      CALL WEIGHT(F)
      L=NG
      IF (IOPT(5).EQ.1) L=0
C     The energy, if it is an invariant
      LE=IPAR(1)
      CALL MASS(NQ,A)
      IF (LE.EQ.1) THEN
        RDA(L+NG+1)=-RPAR(1)-DOT(NQ,F,X(NG+NQ+1))
        DO 10 J=1,NQ
          RDA(L+NG+1)=RDA(L+NG+1)+X(NG+J)*DOT(NQ,A(1,J),X(NG+1))/2.D0
   10   CONTINUE
      END IF
      DO 30 I=1,NG
        CALL ROW(I,P,R)
        RDA(L+I)=DOT(NQ,R,X(NG+1))
        CALL VALUE(I,P,RDA(L+NG+LE+I))
        DO 20 J=1,NQ
          F(J)=F(J)-R(J)*X(I)
   20   CONTINUE
   30 CONTINUE
      DO 40 J=1,NQ
        RDA(L+2*NG+LE+J)=F(J)
        RDA(L+2*NG+LE+NQ+J)=X(NG+J)
   40 CONTINUE
      IF (L.EQ.0) RETURN
      CALL ELIMIN(NQ,1,A,NQ,F,NQ)
      DO 50 I=1,NG
        CALL ROW(I,P,R)
        CALL ROW(I,V,RV)
        RDA(I)=DOT(NQ,R,F)+DOT(NQ,RV,X(NG+1))
   50 CONTINUE
      RETURN
      END
C
      SUBROUTINE MAS(T,NX,X,M,N,MA,IOPT,ROPT,IPAR,RPAR,IERR)
      IMPLICIT NONE
      INTEGER          NX,M,N,IOPT(*),IPAR(*),IERR
      DOUBLE PRECISION T,X(NX),MA(M,N),ROPT(*),RPAR(*)
      CALL MASS(N,MA)
      RETURN
      END
C
C     NEGATIVE partial derivatives.
      SUBROUTINE JAC(M1,M2,M3,M4,M5,M6,N1,N2,N3,N4,M,N,
     #               T,X,FX1,FX2,FX3,FX4,FX5,FX6,
     #               IOPT,ROPT,RPAR,IPAR,IERR)
      IMPLICIT NONE
      INTEGER          M1,M2,M3,M4,M5,M6,N1,N2,N3,N4,M,N,
     #                 IOPT(*),IPAR(*),IERR
      DOUBLE PRECISION T,X(N),FX1(M1,N),FX2(M2,N3+N4),FX3(M3,N4),
     #                 FX4(M4,N),FX5(M5,N),FX6(M6,N3+N4),
     #                 ROPT(*),RPAR(*)
      INTEGER          ND,NFREE,NVEC,NG,NQ
      PARAMETER        (ND=3,NFREE=8,NVEC=13,NG=24,NQ=24)
      INTEGER          I,J,K,L,JA,JB,LA,LB
      DOUBLE PRECISION P(ND,NVEC),V(ND,NVEC),A(ND,NVEC),R(NQ),F(NQ),
     #                 AM(NQ,NQ),Y(NQ,NG+2*NQ),Q,DOT
      INTEGER          IC(4,NG)
      COMMON /TOPOL/   IC
      SAVE             Y
      CALL CLEAR(M1*N,FX1)
      CALL CLEAR(M2*(N3+N4),FX2)
      CALL CLEAR(M3*N4,FX3)
      CALL CLEAR(M4*N,FX4)
      CALL CLEAR(M5*N,FX5)
      CALL CLEAR(M6*(N3+N4),FX6)
      CALL VECS(X(NG+NQ+1),.TRUE.,P)
      CALL VECS(X(NG+1),.FALSE.,V)
      CALL WEIGHT(F)
      CALL MASS(NQ,AM)
      IF (IPAR(1).EQ.1) THEN
        DO 10 J=1,NQ
          FX2(NG+1,J)=-DOT(NQ,AM(1,J),X(NG+1))
          FX2(NG+1,NQ+J)=F(J)
   10   CONTINUE
      END IF
      DO 60 I=1,NG
        CALL ROW(I,P,R)
        DO 20 J=1,NQ
          FX2(I,J)=-R(J)
          FX3(I,J)=-R(J)
          FX5(J,I)=R(J)
          F(J)=F(J)-R(J)*X(I)
   20   CONTINUE
        CALL ROW(I,V,R)
        DO 30 J=1,NQ
          FX2(I,NQ+J)=-R(J)
   30   CONTINUE
C       lambda times the constant second derivatives
        DO 50 JA=1,2
          DO 40 JB=3,4
            LA=IC(JA,I)
            LB=IC(JB,I)
            IF (LA.GT.NFREE.OR.LB.GT.NFREE) GOTO 40
            Q=X(I)
            IF (MOD(JA+JB,2).EQ.1) Q=-Q
            DO 35 K=1,ND
              J=ND*(LA-1)+K
              L=ND*(LB-1)+K
              FX5(J,NG+NQ+L)=FX5(J,NG+NQ+L)+Q
              FX5(L,NG+NQ+J)=FX5(L,NG+NQ+J)+Q
   35       CONTINUE
   40     CONTINUE
   50   CONTINUE
   60 CONTINUE
      DO 70 J=1,NQ
        FX6(J,J)=-1.D0
   70 CONTINUE
      IF (M1.EQ.0) RETURN
      DO 90 J=1,NG+2*NQ
        DO 80 I=1,NQ
          Y(I,J)=FX5(I,J)
   80   CONTINUE
   90 CONTINUE
      CALL ELIMIN(NQ,NG+2*NQ,AM,NQ,Y,NQ)
      CALL MASS(NQ,AM)
      CALL ELIMIN(NQ,1,AM,NQ,F,NQ)
      CALL VECS(F,.FALSE.,A)
C     Through the accelerations, then with these fixed
      DO 120 I=1,NG
        CALL ROW(I,P,R)
        DO 100 K=1,N
          FX1(I,K)=DOT(NQ,R,Y(1,K))
  100   CONTINUE
        CALL ROW(I,A,R)
        DO 110 J=1,NQ
          FX1(I,NG+NQ+J)=FX1(I,NG+NQ+J)-R(J)
          FX1(I,NG+J)=FX1(I,NG+J)+2.D0*FX2(I,NQ+J)
  110   CONTINUE
  120 CONTINUE
      RETURN
      END
C
C     A*Y=B for K right-hand sides, by elimination; A and B are lost.
      SUBROUTINE ELIMIN(N,K,A,LDA,B,LDB)
      IMPLICIT NONE
      INTEGER          N,K,LDA,LDB,I,J,L,LP
      DOUBLE PRECISION A(LDA,*),B(LDB,*),F
      DO 50 L=1,N
        LP=L
        DO 10 I=L+1,N
          IF (ABS(A(I,L)).GT.ABS(A(LP,L))) LP=I
   10   CONTINUE
        DO 20 J=1,N
          F=A(L,J)
          A(L,J)=A(LP,J)
          A(LP,J)=F
   20   CONTINUE
        DO 25 J=1,K
          F=B(L,J)
          B(L,J)=B(LP,J)
          B(LP,J)=F
   25   CONTINUE
        DO 40 I=L+1,N
          F=A(I,L)/A(L,L)
          DO 30 J=L,N
            A(I,J)=A(I,J)-F*A(L,J)
   30     CONTINUE
          DO 35 J=1,K
            B(I,J)=B(I,J)-F*B(L,J)
   35     CONTINUE
   40   CONTINUE
   50 CONTINUE
      DO 80 J=1,K
        DO 70 L=N,1,-1
          DO 60 I=L+1,N
            B(L,J)=B(L,J)-A(L,I)*B(I,J)
   60     CONTINUE
          B(L,J)=B(L,J)/A(L,L)
   70   CONTINUE
   80 CONTINUE
      RETURN
      END
C
      SUBROUTINE CLEAR(LENGTH,A)
      IMPLICIT NONE
      INTEGER          LENGTH,I
      DOUBLE PRECISION A(*)
      DO 10 I=1,LENGTH
        A(I)=0.D0
   10 CONTINUE
      RETURN
      END
C
C     Not called (IOUT=0).
      SUBROUTINE SOLOUT(NACCPT,TOLD,T,X,N,NN2,NN3,NN4,CONTX,H,C1M1,
     #                  C2M1,RPAR,IPAR,IERR)
      IMPLICIT NONE
      INTEGER          NACCPT,N,NN2,NN3,NN4,IPAR(*),IERR
      DOUBLE PRECISION TOLD,T,H,X(N),CONTX(NN4),RPAR(*),C1M1,C2M1
      RETURN
      END
C
C     One degree of freedom: P1 at height z=0, at rest
      SUBROUTINE IVCOND(N,T,X,NCOND,COND,IPAR,RPAR,IERR)
      IMPLICIT NONE
      INTEGER          N,NCOND,IPAR(*),IERR
      DOUBLE PRECISION T,X(N),COND(NCOND),RPAR(*)
      INTEGER          ND,NFREE,NVEC,NG,NQ
      PARAMETER        (ND=3,NFREE=8,NVEC=13,NG=24,NQ=24)
      COND(1)=X(NG+NQ+3)
      COND(2)=X(NG+3)
      RETURN
      END
C
C     ---- Checks; the same in every driver, no part of the model. ----
C
C     JACCHK: JAC against central differences of EOM at (T,X); the
C     largest deviation of each block, relative to the row.  All entries
C     of JAC are filled with rubbish before, so that one which is never
C     set is found as well.
      SUBROUTINE JACCHK(NP,NV,NR,NW,NS,NL,NM,NI,T,X,IOPT,ROPT,
     #                  EOM,JAC,RPAR,IPAR,NGOOD,NBAD)
      IMPLICIT NONE
      INTEGER          MAXM,MAXN
      PARAMETER        (MAXM=200,MAXN=120)
      INTEGER          NP,NV,NR,NW,NS,NL,NM,NI,IOPT(*),IPAR(*),
     #                 NGOOD,NBAD
      DOUBLE PRECISION T,X(*),ROPT(*),RPAR(*)
      EXTERNAL         EOM,JAC
      INTEGER          MB(6),NB(6),KB(7),N1,N2,N3,N4,M,N,I,J,K,L,IERR
      DOUBLE PRECISION FX(MAXM*MAXN),XD(MAXN),RP(MAXM),RM(MAXM),D,
     #                 ENTRY,DEV(6),RDEV(MAXM),RSIZE(MAXM)
      SAVE             FX
      LOGICAL          GOOD
      CHARACTER*4      WORD
      N1=NW+NL+NM
      N2=NR
      N3=NV
      N4=NS+NP
      N=N1+N2+N3+N4
      MB(1)=NW
      IF (IOPT(5).EQ.0) MB(1)=N1
      MB(2)=NL+NM+NI
      MB(3)=NS+NL
      MB(4)=NR
      MB(5)=NV
      MB(6)=NP
      NB(1)=N
      NB(2)=N3+N4
      NB(3)=N4
      NB(4)=N
      NB(5)=N
      NB(6)=N3+N4
      KB(1)=1
      M=0
      DO 10 K=1,6
        KB(K+1)=KB(K)+MB(K)*NB(K)
        M=M+MB(K)
        DEV(K)=0.D0
   10 CONTINUE
      DO 15 I=1,M
        RDEV(I)=0.D0
        RSIZE(I)=1.D0
   15 CONTINUE
      DO 20 I=1,MAXM*MAXN
        FX(I)=7.77D7
   20 CONTINUE
      IERR=0
      CALL JAC(MB(1),MB(2),MB(3),MB(4),MB(5),MB(6),N1,N2,N3,N4,M,N,
     #         T,X,FX(KB(1)),FX(KB(2)),FX(KB(3)),FX(KB(4)),
     #         FX(KB(5)),FX(KB(6)),IOPT,ROPT,RPAR,IPAR,IERR)
      DO 30 I=1,N
        XD(I)=X(I)
   30 CONTINUE
      DO 70 J=1,N
        D=6.D-6*(0.1D0+ABS(X(J)))
        XD(J)=X(J)+D
        CALL EOM(M,N,T,XD,RP,IOPT,ROPT,IPAR,RPAR,IERR)
        XD(J)=X(J)-D
        CALL EOM(M,N,T,XD,RM,IOPT,ROPT,IPAR,RPAR,IERR)
        XD(J)=X(J)
        L=0
        DO 60 K=1,6
          DO 50 I=1,MB(K)
            L=L+1
            ENTRY=0.D0
            IF (J.GT.N-NB(K)) ENTRY=
     #        FX(KB(K)+(J-N+NB(K)-1)*MB(K)+I-1)
            RSIZE(L)=MAX(RSIZE(L),ABS(ENTRY))
            RDEV(L)=MAX(RDEV(L),ABS(ENTRY+(RP(L)-RM(L))/(2.D0*D)))
   50     CONTINUE
   60   CONTINUE
   70 CONTINUE
      GOOD=.TRUE.
      L=0
      DO 80 K=1,6
        DO 75 I=1,MB(K)
          L=L+1
          DEV(K)=MAX(DEV(K),RDEV(L)/RSIZE(L))
   75   CONTINUE
        GOOD=GOOD.AND.DEV(K).LE.1.D-6
   80 CONTINUE
      WORD='FAIL'
      IF (GOOD) WORD='OK'
      IF (GOOD) NGOOD=NGOOD+1
      IF (.NOT.GOOD) NBAD=NBAD+1
      WRITE(6,100) T,WORD,(DEV(K),K=1,6)
      RETURN
  100 FORMAT(' JAC against differences, T=',F6.3,' : ',A4,' (',
     #       6(E7.1,1X),', allowed 0.1E-05)')
      END
C
C     VERIFY: a number that must not exceed a bound.
      SUBROUTINE VERIFY(TEXT,VALUE,BOUND,NGOOD,NBAD)
      IMPLICIT NONE
      CHARACTER*(*)    TEXT
      INTEGER          NGOOD,NBAD
      DOUBLE PRECISION VALUE,BOUND
      CHARACTER*4      WORD
      WORD='FAIL'
      IF (VALUE.LE.BOUND) WORD='OK'
      IF (WORD.EQ.'OK') NGOOD=NGOOD+1
      IF (WORD.NE.'OK') NBAD=NBAD+1
      WRITE(6,100) TEXT,WORD,VALUE,BOUND
      RETURN
  100 FORMAT('   ',A,' : ',A4,' (',E8.1,', allowed',E8.1,')')
      END
C
C     DEVMAX: largest deviation, relative where the value exceeds 1.
      DOUBLE PRECISION FUNCTION DEVMAX(N,X,Y)
      IMPLICIT NONE
      INTEGER          N,I
      DOUBLE PRECISION X(*),Y(*)
      DEVMAX=0.D0
      DO 10 I=1,N
        IF (.NOT.ABS(X(I)).LE.1.D300) DEVMAX=1.D300
        DEVMAX=MAX(DEVMAX,ABS(X(I)-Y(I))/MAX(1.D0,ABS(Y(I))))
   10 CONTINUE
      RETURN
      END
C
C     SIZMAX: largest absolute value, for residuals.
      DOUBLE PRECISION FUNCTION SIZMAX(N,X)
      IMPLICIT NONE
      INTEGER          N,I
      DOUBLE PRECISION X(*)
      SIZMAX=0.D0
      DO 10 I=1,N
        IF (.NOT.ABS(X(I)).LE.1.D300) SIZMAX=1.D300
        SIZMAX=MAX(SIZMAX,ABS(X(I)))
   10 CONTINUE
      RETURN
      END
C
C     SHOWRN: how a run was asked for, how it ended, and its counters.
      SUBROUTINE SHOWRN(TEXT,IOPT,IJAC,TOL,IDID,T,IWORK,NGOOD,NBAD)
      IMPLICIT NONE
      CHARACTER*(*)    TEXT
      INTEGER          IOPT(40),IJAC,IDID,IWORK(20),NGOOD,NBAD
      DOUBLE PRECISION TOL,T
      CHARACTER*4      WORD
      WRITE(6,100) TEXT,IOPT(5),IJAC,IOPT(11),TOL
      WORD='FAIL'
      IF (IDID.EQ.0) WORD='OK'
      IF (IDID.EQ.0) NGOOD=NGOOD+1
      IF (IDID.NE.0) NBAD=NBAD+1
      WRITE(6,110) IDID,T,WORD
      WRITE(6,120) IWORK(1),IWORK(10),IWORK(11),IWORK(2),IWORK(4),
     #             IWORK(7)
      RETURN
  100 FORMAT(/1X,A,', FORM=',I1,' IJAC=',I1,' DECOMPC=',I1,
     #       ' TOL=',E8.1)
  110 FORMAT('   finished with IDID=',I6,' at T=',F12.6,' : ',A4)
  120 FORMAT('   NACCPT=',I5,' NERJCT=',I4,' NCRJCT=',I4,' NEOM=',I6,
     #       ' NJAC=',I5,' NEDEC=',I5)
      END
C
C     FINISH: the last line; a failure also shows in the exit status.
      SUBROUTINE FINISH(NGOOD,NBAD)
      IMPLICIT NONE
      INTEGER          NGOOD,NBAD
      WRITE(6,100) NGOOD,NBAD
      IF (NBAD.GT.0) STOP 1
      RETURN
  100 FORMAT(/1X,I3,' checks OK, ',I3,' not')
      END
